#pragma once

#include "run/repeating_timer.hpp"
#include "run/replay_totals.hpp"
#include "terminal/terminal.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <string>

namespace tandem::command {

/// Returns "37/200 replies, 12.3 a second, 2 failed, 13 s left".
std::string progress_text(const replay_totals& totals, double elapsed_ms);

/// Updates a status line at the bottom of the terminal several times per second.
class progress {
 public:
    /// `line` returns the text; an empty string hides the line.
    progress(boost::asio::io_context& ioc, terminal& t, std::function<std::string()> line);

    void start() {
        if (terminal_.err_is_terminal()) timer_.start();
    }
    /// Removes the line and releases the event loop.
    void stop();

 private:
    void show();

    terminal& terminal_;
    std::function<std::string()> line_;
    repeating_timer timer_;
};

}  // namespace tandem::command

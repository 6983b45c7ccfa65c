#pragma once

#include "run/repeating_timer.hpp"
#include "run/replay_totals.hpp"
#include "terminal/terminal.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <string>

namespace tandem::command {

/// "37/200 replies, 12.3 a second, 2 failed, 13 s left".
std::string progress_text(const replay_totals& totals, double elapsed_ms);

/// Rewrites the terminal's bottom line several times a second.
class progress {
 public:
    /// `line` gives what to show; empty shows nothing.
    progress(boost::asio::io_context& ioc, terminal& t, std::function<std::string()> line);

    void start();
    /// Takes the line away, and lets the event loop end.
    void stop();

 private:
    void show();

    terminal& terminal_;
    std::function<std::string()> line_;
    repeating_timer timer_;
};

}  // namespace tandem::command

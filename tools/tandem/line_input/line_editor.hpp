#pragma once

#include "line_input/edited_line.hpp"
#include "line_input/line_history.hpp"
#include "line_input/line_reader.hpp"
#include "terminal/terminal.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <deque>

namespace tandem::command {

/// Lines that are typed in a terminal, and edited there while other output goes on above them. All
/// of it runs on `ioc`, but for a thread that waits for keys.
class line_editor final : public line_source, private bottom_lines {
 public:
    /// `ioc` and `screen`, whose stdout is the terminal of `in`, must outlive it.
    line_editor(boost::asio::io_context& ioc, terminal& screen, int in, int out);
    /// The terminal is as before then.
    ~line_editor() override;

    /// The terminal knows what editing needs.
    bool is_possible() const noexcept { return line_.is_possible(); }

    void on_line(std::function<void(read_line)> f) override { on_line_ = std::move(f); }
    /// The terminal is used from the first one on.
    void next() override;
    /// A line is waited for: there is a prompt, also if nothing was typed.
    void listen(bool yes);
    /// No more lines; the event loop can end.
    void stop();

 private:
    bool is_shown() const override;
    std::string drawn() override;
    std::string changes() override;
    std::string removed() override { return line_.removed(); }

    void start();
    void take_terminal();
    void leave_terminal();
    void wait_for_signal();
    void suspend();
    void read_more();
    void bytes_came(read_line read);
    void press(const typed_key& key);
    void put(const typed_key& key);
    void enter();
    void show_other(const std::string* line);
    void deliver();

    boost::asio::io_context& ioc_;
    terminal& screen_;
    int in_;
    edited_line line_;
    key_decoder keys_{max_line_bytes};
    line_history history_;
    std::function<void(read_line)> on_line_;
    std::deque<read_line> lines_;  // that were not asked for yet
    int number_ = 0;
    int asked_ = 0;
    bool is_reading_ = false;
    bool is_listening_ = false;
    bool has_terminal_ = false;
    bool has_started_ = false;
    bool has_ended_ = false;
    bool is_resized_ = false;
    boost::asio::signal_set signals_;
    line_reader reader_;
};

}  // namespace tandem::command

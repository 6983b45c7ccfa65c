#pragma once

#include "line_input/edited_line.hpp"
#include "line_input/line_history.hpp"
#include "line_input/line_reader.hpp"
#include "terminal/terminal.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <deque>
#include <string_view>

namespace tandem::command {

/// Lets a user edit lines at the bottom of a terminal while output scrolls above them. Runs on
/// `ioc`, except for a thread that reads keys.
class line_editor final : public line_source, private bottom_lines {
 public:
    /// `in` and `out` are the descriptors of the terminal that `screen` prints to. `ioc` and
    /// `screen` must outlive the editor.
    line_editor(boost::asio::io_context& ioc, terminal& screen, int in, int out);
    /// Restores the terminal mode.
    ~line_editor() override { leave_terminal(); }

    /// Returns false if the terminal does not support editing. Then no other member may be called.
    bool is_supported() const noexcept { return line_.is_supported(); }

    void on_line(std::function<void(line_read_result)> f) override { on_line_ = std::move(f); }
    void on_change(std::function<void(const std::string&)> f) override {
        on_change_ = std::move(f);
    }
    /// The first call switches the terminal to single-key input.
    void request_line() override;
    /// If `yes`, shows the prompt even if nothing has been typed.
    void listen(bool yes);
    /// Stops reading, restores the terminal mode and releases the event loop.
    void stop();

 private:
    enum class phase { unused, running, ended };

    bool is_shown() const override { return is_listening_ || !line_.text().empty(); }
    std::string draw() override;
    std::string draw_changes() override;
    std::string erase() override { return line_.erase(); }

    void start();
    void take_terminal();
    void leave_terminal();
    void wait_for_signal();
    void suspend();
    void read_more();
    void on_bytes(line_read_result read);
    void press_all(std::string_view bytes);
    void press(const typed_key& key);
    void put(const typed_key& key);
    void warn_about_dropped_text(std::string_view what);
    void enter();
    void show_history_line(const std::string* line);
    void deliver();
    void report_change();

    boost::asio::io_context& ioc_;
    terminal& screen_;
    int in_;
    edited_line line_;
    key_decoder keys_{max_line_bytes};
    line_history history_;
    std::function<void(line_read_result)> on_line_;
    std::function<void(const std::string&)> on_change_;
    std::string reported_;                // last text passed to on_change_; empty after Enter
    std::deque<line_read_result> lines_;  // entered lines that were not requested yet
    int number_ = 0;
    int asked_ = 0;
    bool is_reading_ = false;
    bool is_listening_ = false;
    bool has_terminal_ = false;
    phase phase_ = phase::unused;
    bool is_resized_ = false;
    boost::asio::signal_set signals_;
    line_reader reader_;
};

}  // namespace tandem::command

#include "line_input/line_editor.hpp"

#include "terminal/terminal_modes.hpp"

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <unistd.h>
#include <utility>

namespace tandem::command {
namespace {

using pressed = typed_key::kind;

// While this many entered lines wait for the program, reads no further keys; they stay in the
// terminal.
constexpr std::size_t max_lines_ahead = 64;

// A shell without job control starts programs with SIGTSTP ignored. It could not resume a suspended
// program, so Ctrl-Z must not suspend this one.
bool may_be_suspended() {
    struct sigaction now {};
    ::sigaction(SIGTSTP, nullptr, &now);
    return now.sa_handler != SIG_IGN;
}

// Only the default action stops a process, so it temporarily replaces our handler.
void stop_process() {
    struct sigaction default_action {};
    struct sigaction before {};
    default_action.sa_handler = SIG_DFL;
    ::sigaction(SIGTSTP, &default_action, &before);
    ::raise(SIGTSTP);
    ::sigaction(SIGTSTP, &before, nullptr);
}

// tcgetpgrp() fails if the terminal is not the controlling one. Such a terminal has no foreground
// group, so any process may use it.
bool is_in_foreground(int fd) {
    const auto group = ::tcgetpgrp(fd);
    return group < 0 || group == ::getpgrp();
}

}  // namespace

line_editor::line_editor(boost::asio::io_context& ioc, terminal& screen, int in, int out)
    : ioc_(ioc),
      screen_(screen),
      in_(in),
      line_(in, out),
      signals_(ioc),
      reader_(ioc.get_executor(), in, line_reader::read_unit::bytes) {
    reader_.on_line([this](line_read_result r) { on_bytes(std::move(r)); });
}

void line_editor::request_line() {
    ++asked_;
    if (phase_ == phase::unused) start();
    deliver();
    read_more();
}

void line_editor::start() {
    phase_ = phase::running;
    if (may_be_suspended()) signals_.add(SIGTSTP);
    signals_.add(SIGCONT);
    signals_.add(SIGWINCH);
    wait_for_signal();
    take_terminal();
}

void line_editor::stop() {
    phase_ = phase::ended;
    leave_terminal();
    signals_.cancel();
    // Restores the default action of SIGTSTP, because our handler would not stop the process.
    signals_.clear();
}

void line_editor::listen(bool yes) {
    is_listening_ = yes;
    screen_.update_bottom();
}

// --- the terminal

void line_editor::take_terminal() {
    if (phase_ != phase::running || has_terminal_ || !is_in_foreground(in_)) return;
    has_terminal_ = true;
    terminal_modes::save_modes(in_);
    line_.begin_keys();
    screen_.send_control_sequence(terminal_modes::enable_bracketed_paste);
    screen_.set_bottom(this);
}

void line_editor::leave_terminal() {
    if (!std::exchange(has_terminal_, false)) return;
    screen_.set_bottom(nullptr);
    screen_.send_control_sequence(terminal_modes::disable_bracketed_paste);
    line_.end_keys();
    terminal_modes::restore();
}

void line_editor::wait_for_signal() {
    signals_.async_wait([this](const boost::system::error_code& ec, int signal) {
        if (ec || phase_ != phase::running) return;
        wait_for_signal();
        if (signal == SIGTSTP) return suspend();
        if (signal == SIGCONT) leave_terminal();
        take_terminal();
        is_resized_ = signal == SIGWINCH;
        screen_.update_bottom();
    });
}

void line_editor::suspend() {
    leave_terminal();
    stop_process();
    take_terminal();
}

std::string line_editor::draw() {
    is_resized_ = false;
    return line_.draw();
}

std::string line_editor::draw_changes() {
    return std::exchange(is_resized_, false) ? line_.redraw_at_width(screen_.out_width())
                                             : line_.draw_changes();
}

// --- keys

void line_editor::read_more() {
    if (is_reading_ || phase_ != phase::running || lines_.size() >= max_lines_ahead) return;
    is_reading_ = true;
    reader_.request_line();
}

void line_editor::on_bytes(line_read_result read) {
    is_reading_ = false;
    if (phase_ != phase::running) return;
    if (read.what == line_read_result::kind::end) {
        stop();
        lines_.push_back(std::move(read));
    } else {
        press_all(read.text);
    }
    screen_.update_bottom();
    deliver();
    report_change();
    read_more();
}

// `fg` sends no SIGCONT to a running process, so this input may be the first sign that the terminal
// is ours.
void line_editor::press_all(std::string_view bytes) {
    take_terminal();
    if (!has_terminal_) return;
    for (const auto& k : keys_.decode(bytes))
        if (phase_ == phase::running) press(k);
}

void line_editor::press(const typed_key& k) {
    switch (k.what) {
        case pressed::enter:
            return enter();
        case pressed::suspend:
            return void(::kill(0, SIGTSTP));
        case pressed::earlier:
            return show_history_line(history_.earlier(line_.text()));
        case pressed::later:
            return show_history_line(history_.later(line_.text()));
        case pressed::text:
        case pressed::pasted:
            return put(k);
        case pressed::put_back:
            if (!line_.insert_erased_text(max_line_bytes)) warn_about_dropped_text("put back");
            return;
        case pressed::end_of_input:
            if (!line_.text().empty()) return line_.press({.what = pressed::erase_next});
            stop();
            return lines_.push_back({});
        default:
            line_.press(k);
    }
}

void line_editor::put(const typed_key& k) {
    const bool is_typed = k.what == pressed::text;
    if (k.missing > 0 || line_.text().size() + k.text.size() > max_line_bytes)
        return warn_about_dropped_text(is_typed ? "typed" : "pasted");
    is_typed ? line_.press(k) : line_.insert(k.text);
}

void line_editor::warn_about_dropped_text(std::string_view what) {
    screen_.print_error(
        fmt::format("tandem chat: a line is limited to {} bytes; the text that was {} is dropped",
                    max_line_bytes, what));
}

void line_editor::enter() {
    auto text = line_.text();
    history_.add(text);
    line_.set_text({});
    reported_.clear();
    lines_.push_back({.what = line_read_result::kind::line,
                      .text = std::move(text),
                      .number = ++number_,
                      .at = std::chrono::steady_clock::now()});
}

void line_editor::show_history_line(const std::string* line) {
    if (line) line_.set_text(*line);
}

void line_editor::deliver() {
    for (; asked_ > 0 && !lines_.empty(); --asked_) {
        boost::asio::post(ioc_, [this, l = std::move(lines_.front())] { on_line_(l); });
        lines_.pop_front();
    }
}

void line_editor::report_change() {
    if (!on_change_ || phase_ != phase::running) return;
    auto text = line_.text();
    if (text == reported_) return;
    reported_ = std::move(text);
    on_change_(reported_);
}

}  // namespace tandem::command

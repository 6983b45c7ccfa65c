#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace tandem::command {

/// Lines that stay below the output, such as the edited line. Each function returns the text to
/// send to the terminal.
class bottom_lines {
 public:
    virtual ~bottom_lines() = default;

    virtual bool is_shown() const = 0;
    /// Draws the lines, starting at the beginning of a line.
    virtual std::string draw() = 0;
    /// Updates the lines in place.
    virtual std::string draw_changes() = 0;
    /// Removes the lines and returns the cursor to their start.
    virtual std::string erase() = 0;
};

/// The stdout and stderr of the command, with a status line at the bottom of the terminal.
///
/// Output to stdout is written immediately and completely. After the first failure nothing more is
/// written. `on_failure` is called once: by the print() that failed or, if a function other than
/// print() failed, by the next print(). Output functions may be called from any thread.
class terminal {
 public:
    /// The caller keeps ownership of the descriptors. A write to a non-blocking descriptor fails if
    /// the descriptor accepts no data for `write_timeout`. A write to a blocking descriptor may
    /// wait forever.
    explicit terminal(int out = 1, int err = 2,
                      std::chrono::milliseconds write_timeout = std::chrono::minutes(1)) noexcept
        : out_(out), err_(err), write_timeout_(write_timeout) {}

    /// Writes to stdout.
    void print(std::string_view text);
    /// Writes a line to stderr.
    void print_error(std::string_view line);
    /// Shows `text` as a status line on stderr if stderr is a terminal; an empty string removes the
    /// line.
    void show_status(std::string text);

    /// Sends a control sequence without visible output.
    void send_control_sequence(std::string_view sequence);
    /// Shows `lines` below the output on stdout, which must be a terminal; nullptr removes them.
    void set_bottom(bottom_lines* lines);
    /// Call this when the bottom lines have changed; redraws only the changes.
    void update_bottom();

    /// True for a terminal that supports control sequences, so false if TERM=dumb.
    bool out_is_terminal() const noexcept;
    bool err_is_terminal() const noexcept;
    /// The terminal's width, or 80 if unknown. For a file or a pipe the maximum int, so that
    /// nothing is shortened or wrapped.
    int out_width() const noexcept;
    int err_width() const noexcept;
    /// Width of the unfinished line of stdout, in columns.
    int out_column() const noexcept { return column_; }

    /// The error message; empty = none.
    const std::string& failure() const noexcept { return failure_; }
    /// Whether the reader closed the pipe.
    bool is_pipe_closed() const noexcept { return reader_has_left_; }
    void on_failure(std::function<void()> f) { on_failure_ = std::move(f); }

 private:
    bool write_out(std::string_view text);
    void send(std::string_view text);
    // Return the text that removes or redraws the bottom lines.
    std::string leave_bottom();
    std::string enter_bottom();
    // Removes the status line while other text is written.
    void hide_status() {
        if (!status_.empty()) write_error("\r\x1b[K");
    }
    void draw_status() {
        if (!status_.empty()) write_error(status_);
    }
    void write_error(std::string_view text);

    std::mutex mutex_;
    int out_;
    int err_;
    std::chrono::milliseconds write_timeout_;
    bool err_failed_ = false;
    std::string status_;
    int column_ = 0;
    bottom_lines* bottom_ = nullptr;
    bool has_bottom_ = false;  // currently drawn
    std::string failure_;
    bool has_unreported_failure_ = false;
    bool reader_has_left_ = false;
    std::function<void()> on_failure_;
};

}  // namespace tandem::command

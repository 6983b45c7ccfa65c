#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace tandem::command {

/// What stands below the output and moves down with it: the lines that a user edits. Each text is
/// what the terminal has to be sent.
class bottom_lines {
 public:
    virtual ~bottom_lines() = default;

    virtual bool is_shown() const = 0;
    /// All of it, from the start of a line on.
    virtual std::string drawn() = 0;
    /// What makes it current where it was drawn.
    virtual std::string changes() = 0;
    /// What removes it, and leaves the cursor where it began.
    virtual std::string removed() = 0;
};

/// stdout and stderr of the command, and a line at the bottom of the terminal that is rewritten.
///
/// stdout is written at once and whole. The first failure is kept, and nothing more is written.
/// `on_failure` is called once, by the print() that failed or, where something else did, by the
/// next one. What writes may be called from any thread.
class terminal {
 public:
    /// File descriptors, which stay the caller's. `patience` is how long a reader of one that does
    /// not block may take none of it; one that blocks waits as long as it likes.
    explicit terminal(int out = 1, int err = 2,
                      std::chrono::milliseconds patience = std::chrono::minutes(1)) noexcept
        : out_(out), err_(err), patience_(patience) {}

    /// Writes to stdout.
    void print(std::string_view text);
    /// Writes a line to stderr.
    void print_error(std::string_view line);
    /// Shows `text` as the bottom line, on stderr; empty removes it. Only where stderr is a
    /// terminal.
    void show_status(std::string text);

    /// Sends a control sequence that shows nothing.
    void steer(std::string_view sequence);
    /// Draws `lines` below what is printed to stdout, which is a terminal; nullptr removes them.
    void set_bottom(bottom_lines* lines);
    /// Shows what changed in them.
    void update_bottom();

    /// A terminal that knows control sequences, which one with TERM=dumb does not.
    bool out_is_terminal() const noexcept;
    bool err_is_terminal() const noexcept;
    /// Columns of the terminal, 80 where it does not say. A file or a pipe has as many as an int
    /// can count: nothing is cut or broken there.
    int out_width() const noexcept;
    int err_width() const noexcept;
    /// Columns of the line of stdout that has no end yet.
    int out_column() const noexcept { return column_; }

    /// In words, empty = none.
    const std::string& failure() const noexcept { return failure_; }
    /// It failed since stdout is a pipe that nobody reads any more.
    bool reader_has_left() const noexcept { return reader_has_left_; }
    void on_failure(std::function<void()> f) { on_failure_ = std::move(f); }

 private:
    bool write_out(std::string_view text);
    void send(std::string_view text);
    // Text that takes the bottom lines away, and brings them back.
    std::string leave_bottom();
    std::string enter_bottom();
    // Takes the bottom line away while something is written above it.
    void hide_status();
    void draw_status();
    void write_error(std::string_view text);

    std::mutex mutex_;
    int out_;
    int err_;
    std::chrono::milliseconds patience_;
    bool err_failed_ = false;
    std::string status_;
    int column_ = 0;
    bottom_lines* bottom_ = nullptr;
    bool has_bottom_ = false;  // it is drawn
    std::string failure_;
    bool has_untold_failure_ = false;
    bool reader_has_left_ = false;
    std::function<void()> on_failure_;
};

}  // namespace tandem::command

#pragma once

#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace tandem::testing {

/// Runs a program in a pseudo-terminal of the test. The destructor kills the program if it is
/// running.
class terminal_process {
 public:
    struct setup {
        std::vector<std::string> args{};
        std::string term = "xterm";
        int columns = 80;
    };
    terminal_process(const std::string& program, const setup& s);
    ~terminal_process();
    terminal_process(const terminal_process&) = delete;
    terminal_process& operator=(const terminal_process&) = delete;

    void type(std::string_view keys) const;
    /// Waits for `text`, and returns the output since the last call up to the end of `text`. If the
    /// program ends first, returns all remaining output.
    std::string shown_until(std::string_view text);
    void resize(int columns) const;
    void send_signal(int signal) const;
    /// Whether the terminal delivers whole lines and echoes the input.
    bool edits_lines_itself() const;
    /// Waits for the program, and returns its exit status; 128 + N for signal N.
    int wait();

 private:
    int master_;
    pid_t pid_ = -1;
    std::string unread_;
};

}  // namespace tandem::testing

#pragma once

#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace tandem::testing {

/// A started program whose terminal is a pseudo-terminal of the test. It is killed if it still runs
/// at the end.
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
    /// What is shown from the last call on up to the end of `text`, which is waited for; without
    /// `text` where the program ends before.
    std::string shown_until(std::string_view text);
    void resize(int columns) const;
    void send_signal(int signal) const;
    /// The terminal gives whole lines, and shows what is typed.
    bool edits_lines_itself() const;
    /// The exit status; 128 + N for signal N.
    int wait();

 private:
    int master_;
    pid_t pid_ = -1;
    std::string unread_;
};

}  // namespace tandem::testing

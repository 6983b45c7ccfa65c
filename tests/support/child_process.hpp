#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tandem::testing {

/// Runs a program with its stdout in a pipe. The destructor kills the program if it is running.
class child_process {
 public:
    struct setup {
        std::vector<std::string> args{};
        /// The contents of stdin.
        std::string input{};
        /// Variables as NAME=value, in addition to the environment of the test.
        std::vector<std::string> variables{};
        /// The file to use as stdout; empty = a pipe.
        std::string out_file{};
    };
    child_process(const std::string& program, setup s);
    ~child_process();
    child_process(const child_process&) = delete;
    child_process& operator=(const child_process&) = delete;

    /// The next line of stdout without the newline; empty at the end of the output.
    std::string read_line();
    /// Closes the reading end of the pipe, as `head` does.
    void close_stdout();
    void send_signal(int signal);

    /// The exit status of the program, the unread part of stdout, and stderr.
    struct ended {
        int status = 0;  ///< 128 + N for signal N
        std::string out{};
        std::string err{};
    };
    ended wait();

 private:
    using file = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

    pid_t pid_ = -1;
    file in_;
    file out_;
    file err_;
};

}  // namespace tandem::testing

#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tandem::testing {

/// A started program whose stdout is a pipe. It is killed if it still runs at the end.
class child_process {
 public:
    struct setup {
        std::vector<std::string> args{};
        /// What stdin holds.
        std::string input{};
        /// NAME=value, besides the environment of the test.
        std::vector<std::string> variables{};
        /// A file that stands for stdout; empty = a pipe.
        std::string out_file{};
    };
    child_process(const std::string& program, setup s);
    ~child_process();
    child_process(const child_process&) = delete;
    child_process& operator=(const child_process&) = delete;

    /// The next line of stdout without its end; empty at the end.
    std::string read_line();
    /// As a reader does that has enough.
    void close_stdout();
    void send_signal(int signal);

    /// What is left of stdout, then the end of the program.
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

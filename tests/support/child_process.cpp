#include "support/child_process.hpp"

#include "support/argument_pointers.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <stdexcept>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

extern char** environ;  // NOLINT: POSIX requires this declaration

namespace tandem::testing {
namespace {

void check(int fault, const char* what) {
    if (fault != 0) throw std::system_error(fault, std::generic_category(), what);
}

std::unique_ptr<std::FILE, int (*)(std::FILE*)> temporary_file() {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> f(std::tmpfile(), &std::fclose);
    if (!f) check(errno, "tmpfile");
    return f;
}

// Drops TANDEM_ variables, so that the caller's settings do not affect the test.
std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
    std::vector<std::string> result;
    for (char** v = environ; *v; ++v)
        if (!std::string_view(*v).starts_with("TANDEM_")) result.emplace_back(*v);
    result.insert(result.end(), variables.begin(), variables.end());
    return result;
}

std::string read_rest(std::FILE* f) {
    std::string text;
    std::array<char, 4096> part{};
    while (const auto n = std::fread(part.data(), 1, part.size(), f)) text.append(part.data(), n);
    return text;
}

}  // namespace

child_process::child_process(const std::string& program, setup s)
    : in_(temporary_file()), out_(nullptr, &std::fclose), err_(temporary_file()) {
    std::fwrite(s.input.data(), 1, s.input.size(), in_.get());
    std::rewind(in_.get());
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) check(errno, "pipe");
    out_.reset(::fdopen(pipe[0], "r"));
    const int out = s.out_file.empty() ? pipe[1] : ::open(s.out_file.c_str(), O_WRONLY | O_CLOEXEC);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ::fileno(in_.get()), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ::fileno(err_.get()), STDERR_FILENO);
    // If the child inherited the sockets of a server in this process, the server could not close
    // its port.
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    s.args.insert(s.args.begin(), program);
    auto variables = environment_with(s.variables);
    const int fault =
        ::posix_spawn(&pid_, program.c_str(), &actions, nullptr, argument_pointers(s.args).data(),
                      argument_pointers(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    ::close(pipe[1]);
    if (out != pipe[1]) ::close(out);
    check(fault, program.c_str());
}

child_process::~child_process() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

std::string child_process::read_line() {
    std::string line;
    for (int c = std::fgetc(out_.get()); c != EOF && c != '\n'; c = std::fgetc(out_.get()))
        line += static_cast<char>(c);
    return line;
}

void child_process::close_stdout() {
    out_.reset();
}

void child_process::send_signal(int signal) {
    ::kill(pid_, signal);
}

child_process::ended child_process::wait() {
    ended result;
    if (out_) result.out = read_rest(out_.get());
    int status = 0;
    if (::waitpid(std::exchange(pid_, -1), &status, 0) < 0) check(errno, "waitpid");
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    std::rewind(err_.get());
    result.err = read_rest(err_.get());
    return result;
}

}  // namespace tandem::testing

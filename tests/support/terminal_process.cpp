#include "support/terminal_process.hpp"

#include "support/argument_pointers.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <system_error>
#include <termios.h>
#include <unistd.h>
#include <utility>

extern char** environ;  // NOLINT: POSIX requires this declaration

namespace tandem::testing {
namespace {

int open_master() {
    const int fd = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || ::grantpt(fd) != 0 || ::unlockpt(fd) != 0)
        throw std::system_error(errno, std::generic_category(), "pseudo-terminal");
    return fd;
}

std::vector<std::string> environment(const std::string& term) {
    std::vector<std::string> result{"TERM=" + term};
    for (char** v = environ; *v; ++v) {
        const std::string_view variable = *v;
        if (!variable.starts_with("TANDEM_") && !variable.starts_with("TERM="))
            result.emplace_back(variable);
    }
    return result;
}

}  // namespace

terminal_process::terminal_process(const std::string& program, const setup& s)
    : master_(open_master()) {
    resize(s.columns);
    const std::string terminal = ::ptsname(master_);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    // The child leads a new session, so the first terminal that it opens becomes its controlling
    // terminal.
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, terminal.c_str(), O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    auto args = s.args;
    args.insert(args.begin(), program);
    auto variables = environment(s.term);
    const int fault =
        ::posix_spawn(&pid_, program.c_str(), &actions, &attributes, argument_pointers(args).data(),
                      argument_pointers(variables).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (fault != 0) throw std::system_error(fault, std::generic_category(), program);
}

terminal_process::~terminal_process() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    ::close(master_);
}

void terminal_process::type(std::string_view keys) const {
    while (!keys.empty()) {
        const auto n = ::write(master_, keys.data(), keys.size());
        if (n <= 0) throw std::system_error(errno, std::generic_category(), "write");
        keys.remove_prefix(static_cast<std::size_t>(n));
    }
}

std::string terminal_process::shown_until(std::string_view text) {
    for (;;) {
        if (const auto at = unread_.find(text); at != unread_.npos) {
            auto shown = unread_.substr(0, at + text.size());
            unread_.erase(0, shown.size());
            return shown;
        }
        std::array<char, 4096> bytes{};
        const auto n = ::read(master_, bytes.data(), bytes.size());
        if (n <= 0) return std::exchange(unread_, {});
        unread_.append(bytes.data(), static_cast<std::size_t>(n));
    }
}

void terminal_process::resize(int columns) const {
    winsize size{};
    size.ws_col = static_cast<unsigned short>(columns);
    size.ws_row = 24;
    ::ioctl(master_, TIOCSWINSZ, &size);
}

void terminal_process::send_signal(int signal) const {
    ::kill(pid_, signal);
}

bool terminal_process::edits_lines_itself() const {
    termios modes{};
    ::tcgetattr(master_, &modes);
    return (modes.c_lflag & ICANON) != 0 && (modes.c_lflag & ECHO) != 0;
}

int terminal_process::wait() {
    shown_until("\x01 the end of the program \x01");
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace tandem::testing

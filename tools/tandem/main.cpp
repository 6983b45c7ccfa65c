#include "bench/bench_command.hpp"
#include "chat/chat_command.hpp"
#include "command_line.hpp"
#include "doctor/doctor_command.hpp"
#include "os/exit_status.hpp"
#include "replay/replay_command.hpp"
#include "segment/segment_command.hpp"
#include "serve/key_command.hpp"
#include "serve/serve_command.hpp"
#include "terminal/terminal.hpp"

#include <clocale>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace {

// Prints the output of a command line that runs no command.
int print_result(const tandem::command::command_line& c) {
    tandem::command::terminal t;
    t.print(c.out);
    if (!c.err.empty()) t.print_error(c.err);
    tandem::command::print_output_failure(t, "tandem");
    return tandem::command::lost_output_exit_status(t).value_or(c.status);
}

tandem::command::environment environment_variables() {
    tandem::command::environment variables;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text = *entry;
        const auto end = text.find('=');
        if (end != text.npos) variables.emplace(text.substr(0, end), text.substr(end + 1));
    }
    return variables;
}

// Prevents the next file or socket from getting the number of a closed standard descriptor. Like a
// closed descriptor, the substitute fails on use; glibc does the same for setuid programs.
void fill_closed_descriptors() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(fd, F_GETFD) < 0) ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

// Each connection uses a descriptor, and the default limit of 1024 is too low. Does nothing on
// failure.
void raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int main(int argc, char** argv) try {
    fill_closed_descriptors();
    std::setlocale(LC_CTYPE, "C.UTF-8");  // wcwidth() needs a UTF-8 locale
    // Ignores these signals, so that a write to a closed pipe or beyond the file size limit fails
    // with an error, which the program reports.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    const auto command = tandem::command::parse_command_line(
        std::vector<std::string>(argv + 1, argv + argc), environment_variables());
    if (!command.note.empty()) tandem::command::terminal().print_error("tandem: " + command.note);
    // Only these commands may open many connections.
    if (command.replay || command.bench || command.serve) raise_descriptor_limit();
    if (command.doctor) return tandem::command::run_doctor(*command.doctor);
    if (command.replay) return tandem::command::run_replay(*command.replay);
    if (command.chat) return tandem::command::run_chat(*command.chat);
    if (command.bench) return tandem::command::run_bench(*command.bench);
    if (command.segment) return tandem::command::run_segment(*command.segment);
    if (command.serve) return tandem::command::run_serve(*command.serve);
    if (command.key) return tandem::command::run_key(*command.key);
    if (command.cluster) return tandem::command::run_cluster(*command.cluster);
    return print_result(command);
} catch (const std::exception& e) {
    std::fprintf(stderr, "tandem: %s\n", e.what());
    return tandem::command::not_all_good;
}

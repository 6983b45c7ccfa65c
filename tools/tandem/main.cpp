#include "command_line.hpp"
#include "doctor_command.hpp"
#include "replay_command.hpp"
#include "segment_command.hpp"
#include "terminal.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

namespace {

// Shows what a command line that runs nothing has to say.
int tell(const tandem::command::command_line& c) {
    tandem::command::terminal t;
    t.print(c.out);
    if (!c.err.empty()) t.print_error(c.err);
    if (t.failure().empty()) return c.status;
    t.print_error("tandem: " + t.failure());
    return 1;
}

}  // namespace

int main(int argc, char** argv) try {
    // A closed pipe is told by the write that fails.
    std::signal(SIGPIPE, SIG_IGN);
    const auto command =
        tandem::command::parse_command_line(std::vector<std::string>(argv + 1, argv + argc),
                                            [](const char* name) { return std::getenv(name); });
    if (command.doctor) return tandem::command::run_doctor(*command.doctor);
    if (command.replay) return tandem::command::run_replay(*command.replay);
    if (command.segment) return tandem::command::run_segment(*command.segment);
    return tell(command);
} catch (const std::exception& e) {
    std::fprintf(stderr, "tandem: %s\n", e.what());
    return 1;
}

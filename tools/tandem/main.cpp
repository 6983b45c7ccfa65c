#include "command_line.hpp"
#include "replay_command.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

int main(int argc, char** argv) try {
    // A closed pipe is told by the write that fails.
    std::signal(SIGPIPE, SIG_IGN);
    const auto command =
        tandem::command::parse_command_line(std::vector<std::string>(argv + 1, argv + argc),
                                            [](const char* n) { return std::getenv(n); });
    std::fputs(command.out.c_str(), stdout);
    std::fputs(command.err.c_str(), stderr);
    return command.replay ? tandem::command::run_replay(*command.replay) : command.status;
} catch (const std::exception& e) {
    std::fprintf(stderr, "tandem: %s\n", e.what());
    return 1;
}

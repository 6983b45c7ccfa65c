#pragma once

#include "bench/bench_command.hpp"
#include "chat/chat_command.hpp"
#include "cluster_status/cluster_command.hpp"
#include "doctor/doctor_command.hpp"
#include "flags/config_layers.hpp"
#include "replay/replay_command.hpp"
#include "segment/segment_command.hpp"
#include "serve/key_command.hpp"
#include "serve/serve_command.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tandem::command {

/// The result of parsing: one of the commands, or text to print before exiting with `status`.
struct command_line {
    std::optional<bench_options> bench{};
    std::optional<chat_options> chat{};
    std::optional<doctor_options> doctor{};
    std::optional<replay_options> replay{};
    std::optional<segment_options> segment{};
    std::optional<serve_options> serve{};
    std::optional<key_options> key{};
    std::optional<cluster_command_options> cluster{};
    /// A message for stderr before the command runs; usually empty.
    std::string note{};
    int status = 0;
    std::string out{};
    std::string err{};
};

/// Parses the environment and the arguments (without the program name), and reads the files that
/// they name. Does not throw for invalid input.
command_line parse_command_line(std::vector<std::string> args, const environment& variables);

/// Calls `visit` with an application that has all commands and flags.
void visit_command_tree(const std::function<void(const CLI::App&)>& visit);

}  // namespace tandem::command

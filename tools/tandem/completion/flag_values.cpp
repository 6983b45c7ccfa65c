#include "completion/flag_values.hpp"

#include "chat/chat_flags.hpp"
#include "cluster_status/cluster_command_flags.hpp"
#include "completion/completion_script.hpp"
#include "terminal/color.hpp"
#include "terminal/log_output.hpp"

#include <map>

namespace tandem::command {

std::vector<std::string_view> find_flag_values(std::string_view command, std::string_view flag) {
    // --tts is the only flag whose values depend on the command: outside of `chat`, it sets a
    // speaking pace.
    if (command == chat_flags::name && flag == "--tts") return {"espeak-ng", "none"};
    static const std::map<std::string_view, std::vector<std::string_view>> values{
        {"SHELL", {shell_names.begin(), shell_names.end()}},
        {"ACTION", {cluster_actions.begin(), cluster_actions.end()}},
        {"--arrivals", {"poisson", "even"}},
        {"--boundary-rule", {"classic", "spoken"}},
        {"--color", {color_names.begin(), color_names.end()}},
        {"--interrupted", {"heard", "handed_over", "full", "none"}},
        {"--log-format", {"text", "json"}},
        {"--log-level", {level_names.begin(), level_names.end()}},
        {"--pacing", {"auto", "strict", "warm", "ahead", "stream"}},
        {"--placement", {"round_robin", "least_busy"}},
        {"--play", {"auto", "yes", "no"}},
        {"--rule", {"classic", "spoken"}},
        {"--speech", {"exact", "clean"}},
        {"--speech-code", {"skipped", "spoken"}},
        {"--speech-emoji", {"removed", "kept"}},
        {"--speech-marks", {"drop", "keep", "report"}},
        {"--speech-urls", {"kept", "host"}},
        {"--stream-by", {"token", "chunk"}},
    };
    const auto found = values.find(flag);
    return found == values.end() ? std::vector<std::string_view>() : found->second;
}

}  // namespace tandem::command

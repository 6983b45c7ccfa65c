#include "flags/run_flags.hpp"

#include "flags/config_layers.hpp"
#include "terminal/log_output.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace tandem::command {
namespace {

// Indexed by the enumeration.
constexpr std::array<std::string_view, 2> placement_names{"round_robin", "least_busy"};

}  // namespace

void add_prompt_and_user_flags(command_flags& flags, std::vector<std::string>& prompts,
                               std::vector<std::string>& user_messages) {
    flags.add_text("--prompt", prompts, "TEXT", "a raw prompt (may be repeated)");
    flags.add_text("--user", user_messages, "TEXT", "a user's message (may be repeated)");
}

void add_pace_flag(command_flags& flags, speech_pace& pace, const char* help,
                   const char* default_pace) {
    const auto read = [&pace](const std::string& text, std::vector<std::string>& faults) {
        if (const auto parsed = parse_speech_pace(text))
            pace = *parsed;
        else
            faults.push_back(make_invalid_value_message(
                "--tts", text, "none, or wpm=N with N greater than 0 and at most 100000"));
    };
    flags.add("--tts", "PACE", help, read, default_pace);
}

void add_wait_flag(command_flags& flags, duration& wait) {
    flags.add_time("--wait", wait, "how long to wait for servers to start and load their model",
                   "0");
}

void add_color_flag(command_flags& flags, color_choice& color) {
    flags.add_choice("--color", color, color_names, "WHEN", "use color: auto, always or never",
                     "auto");
}

void add_log_level_flag(command_flags& flags, std::optional<log_level>& level,
                        const char* default_level) {
    const auto help =
        fmt::format("log level on stderr: debug, info, warning, error or off [{}]", default_level);
    flags.add_choice("--log-level", level, level_names, "LEVEL", help.c_str());
}

void check_utf8(const char* flag, const std::string& text, std::vector<std::string>& faults) {
    if (const auto bad = text::find_invalid_utf8(text); bad != std::string::npos)
        faults.push_back(fmt::format("{} has invalid UTF-8 at byte {}", flag, bad + 1));
}

void check_output_file(const char* flag, const std::string& file,
                       std::vector<std::string>& faults) {
    if (file == "-")
        faults.push_back(fmt::format("{} is -, but stdout has other output; name a file", flag));
}

void check_prompts(const std::vector<std::string>& prompts,
                   const std::vector<std::string>& user_messages,
                   std::vector<std::string>& faults) {
    for (const auto& text : prompts) check_utf8("--prompt", text, faults);
    for (const auto& text : user_messages) {
        check_utf8("--user", text, faults);
        if (text::is_all_white_space(text)) faults.push_back("--user is empty or only white space");
    }
}

void add_placement_flag(command_flags& flags, service_config& c, const char* what) {
    const auto help = fmt::format("how to choose {}'s server: round_robin or least_busy", what);
    flags.add_choice("--placement", c.placement, placement_names, "HOW", help.c_str(),
                     "least_busy");
}

void check_service(service_config c, std::vector<std::string>& faults) {
    // A single server is also in the client's configuration, whose faults are reported elsewhere.
    if (c.servers.size() < 2) c.servers.clear();
    const auto all = check(c);
    for (auto i = check(c.client).size(); i < all.size(); ++i) {
        const auto field = all[i].field == "servers" ? "url" : all[i].field;
        faults.push_back(fmt::format("{} {}", flag_name(field), all[i].message));
    }
}

}  // namespace tandem::command

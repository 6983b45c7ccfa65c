#include "flags/run_flags.hpp"

#include "flags/flag_parsing.hpp"
#include "terminal/log_output.hpp"
#include "text/characters/utf8.hpp"

#include <fmt/format.h>

namespace tandem::command {
void read_pace(const std::string& text, speech_pace& pace, std::vector<std::string>& faults) {
    if (const auto read = parse_speech_pace(text))
        pace = *read;
    else
        faults.push_back(
            refusal_of("--tts", text, "none, or wpm=N with N greater than 0 and at most 100000"));
}

void read_color(const std::string& text, color_choice& color, std::vector<std::string>& faults) {
    read_choice("--color", color_names, text, color, faults);
}

void read_log_level(const std::string& text, log_level& level, std::vector<std::string>& faults) {
    read_choice("--log-level", level_names, text, level, faults);
}

void read_log_level(const std::string& text, std::optional<log_level>& level,
                    std::vector<std::string>& faults) {
    if (!text.empty()) read_log_level(text, level.emplace(log_level::off), faults);
}

void check_utf8(const char* flag, const std::string& text, std::vector<std::string>& faults) {
    if (const auto bad = text::find_invalid_utf8(text); bad != std::string::npos)
        faults.push_back(fmt::format("{} has invalid UTF-8 at byte {}", flag, bad + 1));
}

std::vector<std::string> text_faults(const std::vector<std::string>& prompts,
                                     const std::vector<std::string>& user_messages) {
    std::vector<std::string> faults;
    for (const auto& text : prompts) check_utf8("--prompt", text, faults);
    for (const auto& text : user_messages) {
        check_utf8("--user", text, faults);
        if (text.empty()) faults.push_back("--user is empty");
    }
    return faults;
}

}  // namespace tandem::command

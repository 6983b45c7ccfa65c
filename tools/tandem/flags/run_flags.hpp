#pragma once

#include "flags/speech_pace.hpp"
#include "terminal/color.hpp"

#include "tandem/log.hpp"

#include <optional>
#include <string>
#include <vector>

// Flags that several commands have in common.
namespace tandem::command {

/// The value of --tts.
void read_pace(const std::string& text, speech_pace& pace, std::vector<std::string>& faults);
/// The value of --color.
void read_color(const std::string& text, color_choice& color, std::vector<std::string>& faults);
/// The value of --log-level, and of one that need not be set, where empty = it is not.
void read_log_level(const std::string& text, log_level& level, std::vector<std::string>& faults);
void read_log_level(const std::string& text, std::optional<log_level>& level,
                    std::vector<std::string>& faults);
/// A text that is no UTF-8 is a fault, which names the byte.
void check_utf8(const char* flag, const std::string& text, std::vector<std::string>& faults);
/// What is wrong with the texts of --prompt and --user.
std::vector<std::string> text_faults(const std::vector<std::string>& prompts,
                                     const std::vector<std::string>& user_messages);

}  // namespace tandem::command

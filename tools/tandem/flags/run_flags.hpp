#pragma once

#include "flags/speech_pace.hpp"
#include "terminal/color.hpp"

#include "tandem/log.hpp"

#include <optional>
#include <string>
#include <vector>

// Flags that several commands share.
namespace tandem::command {

/// Parses the value of --tts.
void read_pace(const std::string& text, speech_pace& pace, std::vector<std::string>& faults);
/// Parses the value of --color.
void read_color(const std::string& text, color_choice& color, std::vector<std::string>& faults);
/// Parses the value of --log-level. An empty text leaves an optional level unset.
void read_log_level(const std::string& text, log_level& level, std::vector<std::string>& faults);
void read_log_level(const std::string& text, std::optional<log_level>& level,
                    std::vector<std::string>& faults);
/// Adds a fault with the position of the first byte that is not valid UTF-8.
void check_utf8(const char* flag, const std::string& text, std::vector<std::string>& faults);
/// Returns the faults in the texts of --prompt and --user.
std::vector<std::string> text_faults(const std::vector<std::string>& prompts,
                                     const std::vector<std::string>& user_messages);

}  // namespace tandem::command

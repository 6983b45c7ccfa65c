#pragma once

#include "flags/command_flags.hpp"
#include "flags/speech_pace.hpp"
#include "terminal/color.hpp"

#include "tandem/log.hpp"
#include "tandem/service_config.hpp"

#include <optional>
#include <string>
#include <vector>

// Flags that several commands share.
namespace tandem::command {

/// The flags --prompt and --user.
void add_prompt_and_user_flags(command_flags& flags, std::vector<std::string>& prompts,
                               std::vector<std::string>& user_messages);
/// The flag --tts.
void add_pace_flag(command_flags& flags, speech_pace& pace, const char* help,
                   const char* default_pace = "");
/// The flags --wait, --color and --log-level.
void add_wait_flag(command_flags& flags, duration& wait);
void add_color_flag(command_flags& flags, color_choice& color);
/// `default_level`: the level without the flag, as the help shows it.
void add_log_level_flag(command_flags& flags, std::optional<log_level>& level,
                        const char* default_level);
/// `what`: what the flag --placement places, such as "a request".
void add_placement_flag(command_flags& flags, service_config& c, const char* what);

/// Adds a fault with the position of the first byte that is not valid UTF-8.
void check_utf8(const char* flag, const std::string& text, std::vector<std::string>& faults);
/// Adds a fault if `file` is "-", because stdout is used for other output.
void check_output_file(const char* flag, const std::string& file, std::vector<std::string>& faults);
/// Checks the texts of --prompt and --user.
void check_prompts(const std::vector<std::string>& prompts,
                   const std::vector<std::string>& user_messages, std::vector<std::string>& faults);

/// Checks the service configuration and adds its faults, which name flags instead of fields.
/// Ignores faults of `c.client`.
void check_service(service_config c, std::vector<std::string>& faults);

}  // namespace tandem::command

#pragma once

#include "flags/config_layers.hpp"
#include "recording/dialogue.hpp"

#include "tandem/recording.hpp"
#include "tandem/service.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// The parameters of a run. A recording stores them in a note so that the run can be repeated.
struct recorded_run {
    /// Settings of the configuration.
    std::vector<setting> settings{};
    /// Other flags; keys are the flag names without "--".
    std::map<std::string, std::string> flags{};
    /// If empty, playback makes a dialogue of each recorded reply, and uses the servers of the
    /// recording.
    std::vector<dialogue> dialogues{};
    /// True if a complete run ends with `end_note`, which makes a killed run detectable.
    bool has_end_note = false;
};

/// Returns the fields that differ from their defaults. Omits URLs and keys. If `has_prompts` is
/// false, also omits fields that may contain text of the prompts, such as stop words.
std::vector<setting> collect_changed_settings(const config& settings, bool has_prompts);
/// Returns the changed settings of the servers, and all URLs with passwords hidden.
std::vector<setting> collect_changed_settings(const service_config& settings, bool has_prompts);

/// Returns the run as JSON. If `has_prompts` is false, filler replaces the prompts.
std::string format_run_note(const recorded_run& run, bool has_prompts);

/// The last note of a complete run.
inline constexpr std::string_view end_note = R"({"replay_ended":true})";

/// Returns nothing if `note` does not describe a run.
std::optional<recorded_run> parse_run_note(std::string_view note);

/// A recording and the run that created it. If the recording contains no run, each recorded reply
/// becomes a dialogue.
struct opened_recording {
    std::shared_ptr<recording> file{};
    recorded_run run{};
    /// The result of describe_recording_source().
    std::string source{};
    /// A note on missing data; usually empty.
    std::string note{};
    /// Why the recording could not be opened.
    std::string fault{};
};
opened_recording open_recording(const std::string& path);

/// Formats the source as "the recording run.rec, speed 3". A `speed` of 0 means without waiting.
std::string describe_recording_source(const std::string& path, double speed);

}  // namespace tandem::command

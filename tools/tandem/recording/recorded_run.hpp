#pragma once

#include "flags/config_layers.hpp"
#include "recording/prompt_file.hpp"
#include "recording/record_flags.hpp"
#include "recording/recording_file.hpp"

#include "tandem/recording.hpp"
#include "tandem/service.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// What a run was asked for, as a recording keeps it in a note, so that it can be run again.
struct recorded_run {
    /// Of the configuration.
    std::vector<setting> settings{};
    /// Other flags, by their names without "--".
    std::map<std::string, std::string> flags{};
    /// None: each recorded reply is asked for again, at the servers of the recording.
    std::vector<dialogue> dialogues{};
    /// Whether `end_note` is to follow, so that a run that was killed can be told.
    bool tells_end = false;
};

/// The fields that are not as they are by default. URLs and keys are left out; without prompts, so
/// are texts that belong to them, such as stop words.
std::vector<setting> settings_of(const config& settings, bool has_prompts);
/// Those of its servers, and all URLs, which are shown without password.
std::vector<setting> settings_of(const service_config& settings, bool has_prompts);

/// As JSON, with texts that say nothing instead of what was asked where `has_prompts` is false.
std::string note_of(const recorded_run& run, bool has_prompts);

/// What a run that was not killed notes last.
inline constexpr std::string_view end_note = R"({"replay_ended":true})";

/// Nothing if `note` is not of a run.
std::optional<recorded_run> run_of_note(std::string_view note);

/// Clients and services made with `c` from now on are recorded, after a note of `run`. Null if
/// nothing is to be recorded. An older recording stays until begin_recording() is called.
std::unique_ptr<recording_file> start_recording(const record_options& options,
                                                const recorded_run& run, config& c);

/// Of what start_recording() gave. False if it is to be recorded and cannot be.
bool begin_recording(const std::unique_ptr<recording_file>& recorded);

/// Of what start_recording() gave; empty if that is null.
std::string fault_of(const std::unique_ptr<recording_file>& recorded);

/// A recording, with the run that it was made by; of one that was made by something else each reply
/// is asked for again.
struct opened_recording {
    std::shared_ptr<recording> file{};
    recorded_run run{};
    /// As of source_text().
    std::string source{};
    /// What is missing of it; mostly empty.
    std::string note{};
    /// Why there is none.
    std::string fault{};
};
opened_recording open_recording(const std::string& path);

/// "the recording run.rec, speed 3"; 0 = without waiting.
std::string source_text(const std::string& path, double speed);

}  // namespace tandem::command

#pragma once

#include <string>
#include <vector>

namespace tandem::command {

class command_flags;

/// Where a command records the responses of servers.
struct record_options {
    /// Empty = no recording.
    std::string file{};
    bool prompts = true;
};

/// A file that another flag of the run refers to; empty = none.
struct named_file {
    const char* flag;
    std::string path;
};

/// Adds --record and --record-no-prompts.
void add_record_flags(command_flags& flags, record_options& record);
/// Checks these flags. Reports each of the `others` that the recording would overwrite: the
/// --record file itself, or FILE.old.
void check_record_flags(const command_flags& flags, const record_options& record,
                        const std::vector<named_file>& others, std::vector<std::string>& faults);

}  // namespace tandem::command

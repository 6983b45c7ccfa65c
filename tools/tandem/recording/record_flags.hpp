#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::command {

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

/// Reports each file that is also the --record file or the file that keeps an older recording.
std::vector<std::string> shared_file_faults(const record_options& record,
                                            const std::vector<named_file>& others);

/// The flags --record and --record-no-prompts. The object must stay alive during parsing.
class record_flags {
 public:
    void add_to(CLI::App& app, const char* group);
    record_options read(std::vector<std::string>& faults) const;

 private:
    const CLI::Option* option_ = nullptr;
    std::string file_;
    bool no_prompts_ = false;
};

}  // namespace tandem::command

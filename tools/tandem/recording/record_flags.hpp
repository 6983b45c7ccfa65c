#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// Where a command records what servers send.
struct record_options {
    /// Empty = nowhere.
    std::string file{};
    bool prompts = true;
};

/// A file that another flag of the run names; empty = none.
struct named_file {
    const char* flag;
    std::string path;
};

/// Each must be another file than that of --record, and than that which keeps an older recording.
std::vector<std::string> shared_file_faults(const record_options& record,
                                            const std::vector<named_file>& others);

/// --record and --record-no-prompts. The object must outlive the parsing.
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

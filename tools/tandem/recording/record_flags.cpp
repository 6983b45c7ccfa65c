#include "recording/record_flags.hpp"

#include "flags/command_flags.hpp"
#include "flags/run_flags.hpp"

#include "tandem/recording.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace tandem::command {
namespace {

namespace fs = std::filesystem;

// Normalizes a path, even if the file does not exist. Makes the path absolute first, because
// weakly_canonical() keeps a nonexistent relative path relative.
fs::path plain_path(const std::string& path) {
    std::error_code ec;
    const auto plain = fs::weakly_canonical(fs::absolute(path), ec);
    return ec ? fs::path(path) : plain;
}

bool is_one_file(const std::string& a, const std::string& b) {
    std::error_code ec;
    // Two flags may name the same device, because writing to a device overwrites no data.
    if (fs::exists(a, ec) && !fs::is_regular_file(a, ec)) return false;
    return plain_path(a) == plain_path(b) || fs::equivalent(a, b, ec);
}

}  // namespace

void add_record_flags(command_flags& flags, record_options& record) {
    const auto help = fmt::format(
        "record what servers send, with timing, for replay --from-recording (up to {} MiB); an "
        "older recording is kept as FILE.old",
        recorder_options().max_bytes >> 20);
    flags.add_text("--record", record.file, "FILE", help.c_str());
    flags.add_switch(
        "--record-no-prompts", [&record] { record.prompts = false; },
        "omit prompts and messages from the recording");
}

void check_record_flags(const command_flags& flags, const record_options& record,
                        const std::vector<named_file>& others, std::vector<std::string>& faults) {
    if (!record.prompts && record.file.empty())
        faults.push_back("--record-no-prompts requires --record FILE");
    if (flags.is_given("--record") && record.file.empty())
        faults.push_back("--record is empty; it must be a file name");
    if (record.file.empty()) return;
    check_output_file("--record", record.file, faults);
    const auto older = plain_path(record.file).string() + ".old";
    for (const auto& other : others) {
        if (other.path.empty()) continue;
        if (is_one_file(record.file, other.path))
            faults.push_back(
                fmt::format("--record and {} name the same file, {}", other.flag, record.file));
        else if (is_one_file(older, other.path))
            faults.push_back(fmt::format("{} names {}, where --record {} keeps an older recording",
                                         other.flag, other.path, record.file));
    }
}

}  // namespace tandem::command

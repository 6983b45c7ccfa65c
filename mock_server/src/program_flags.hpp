#pragma once

#include "tandem_mock/options.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::mock {

/// The command-line flags of tandem-mock-server. Must exist until `app` has parsed the command
/// line, because CLI11 writes to its fields.
class program_flags {
 public:
    static constexpr const char* name = "tandem-mock-server";

    explicit program_flags(CLI::App& app);

    /// The options that the parsed flags set. Throws if a file cannot be read or a fault cannot be
    /// parsed.
    options read() const;

    /// The flags whose unit or meaning differs from that of the option.
    struct raw_flags {
        std::string dialogues;
        std::string slot_save_path;
        std::vector<std::string> faults;
        int crash_within_ms = 0;
        int load_ms = 0;
        int conversation_change_ms = 0;
        int sse_ping_interval = 30;
        bool no_cache_idle_slots = false;
        bool no_slots = false;
        bool no_bos = false;
        bool no_chat_template = false;
    };

 private:
    options options_;
    raw_flags raw_;
};

}  // namespace tandem::mock

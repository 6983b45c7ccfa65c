#pragma once

#include "tandem_mock/options.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::mock {

/// The flags of the program tandem-mock-server. The object must outlive the parsing.
class program_flags {
 public:
    static constexpr const char* name = "tandem-mock-server";

    explicit program_flags(CLI::App& app);

    /// What the parsed flags ask for. Throws where a file or a fault cannot be read.
    options read() const;

    /// What the flags give in other units than the options have.
    struct raw_flags {
        std::string dialogues;
        std::string slot_save_path;
        std::vector<std::string> faults;
        int crash_within_ms = 0;
        int load_ms = 0;
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

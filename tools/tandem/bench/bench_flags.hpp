#pragma once

#include "bench/bench_command.hpp"
#include "flags/config_flags.hpp"
#include "flags/user_speech_flags.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// The `tandem bench` subcommand and its flags. The object must stay alive during parsing.
class bench_flags {
 public:
    static constexpr const char* name = "bench";

    explicit bench_flags(CLI::App& tandem);

    /// Returns the options from the parsed flags. `faults` receives the errors.
    bench_options read(const environment& variables, std::vector<std::string>& faults);

 private:
    /// All flags except those of the configuration.
    struct flag_texts {
        bool mock = false;
        std::string tokens_per_second;
        std::string concurrency;
        std::string rate;
        std::string arrivals;
        std::string time;
        std::string turns;
        std::string file;
        std::vector<std::string> prompts;
        std::vector<std::string> user_messages;
        std::string tts;
        user_speech_flags users;
        bool capacity = false;
        std::string first_chunk_within;
        std::string gap_within;
        std::string wait = "0";
        std::string placement = "least_busy";
        std::string color = "auto";
        std::string log_level;
        bool json = false;
    };

    void add_flag(const char* flag, auto& target, const char* value, const char* help,
                  const char* group);
    void add_load_flags();
    void add_capacity_flags();
    void add_prompt_flags();
    void add_conversation_flags();
    bench_options read_own_flags(std::vector<std::string>& faults);
    void read_load(bench_options& o, std::vector<std::string>& faults) const;
    void read_capacity(bench_options& o, std::vector<std::string>& faults) const;
    void read_mock(bench_options& o, std::vector<std::string>& faults) const;

    CLI::App& app_;
    flag_texts texts_;
    config_flags config_;
};

}  // namespace tandem::command

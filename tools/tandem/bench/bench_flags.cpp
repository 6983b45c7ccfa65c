#include "bench/bench_flags.hpp"

#include "bench/bench_mock.hpp"
#include "flags/run_flags.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <string_view>
#include <utility>

namespace tandem::command {
namespace {

constexpr int max_concurrency = 1000;
constexpr int max_turns = 100'000'000;
constexpr double min_rate = 0.001;
constexpr double max_rate = 10'000;
constexpr double max_tokens_per_second = 1'000'000;
constexpr auto default_run_time = std::chrono::seconds(10);
constexpr speech_pace default_capacity_pace{170};

constexpr const char* bench_text = R"(Example:
  tandem bench --mock --concurrency 8 --duration 10s

Runs many concurrent conversations with llama-server, and reports the waiting
times of their listeners, the failures, and the cost of tandem itself.

Usage: tandem bench [FLAG...]

In a closed loop, each conversation starts its next turn when the previous one
has ended. With --rate, turns start at their scheduled times, whether or not
earlier turns have ended, and waits are measured from the scheduled time. After
--duration, or after the last of --turns, no turn starts, and running turns are
finished.

--capacity finds by itself how many callers a server carries: the largest number
with first chunk p95 and gap p99 within limits, and without a failed reply. It
runs one step of --duration for each number of callers, and counts what ends in
the second half of the step. With --mock, the mock server has 8 slots, or
--slots, whatever the number of callers.

--mock measures against mock servers in this process. They run on their own
threads, and have as many slots as the conversations need. The reported
processor time is that of the event loop, without the mock servers.

The prompts come from FILE, in the format of "tandem replay", or from four short
built-in dialogues. Each conversation runs one dialogue after the other, and
starts with an empty history for each.

Unless the server's build is known to be sound, tandem waits two seconds before
it uses a slot again. This increases the gaps; --reuse-guard 0 disables it.

Times are written as 250ms, 2s, 1m, 0.5h or plain seconds. The flags of the
groups server to generation can also be set by environment variables
(--reuse-guard by TANDEM_REUSE_GUARD) or in the file of --config
("reuse_guard"). Flags override variables, and variables override the file.

Exit status: 0 all replies complete, 1 some failed or turns were not started, or
--capacity found not even one caller, 2 wrong use, 130 stopped with Ctrl-C, 143
with SIGTERM, 129 with SIGHUP, 141 if the reader of its output has gone. A
stopped run still prints its report.)";

// Indexed by arrival_distribution.
constexpr std::array<std::string_view, 2> arrival_names{"poisson", "even"};

}  // namespace

bench_flags::bench_flags(CLI::App& tandem)
    : flags_(tandem, name, bench_text, "measure latency under load") {
    add_load_flags();
    add_capacity_flags();
    add_prompt_flags();
    add_output_flags();
    auto defaults = default_config();
    defaults.server.slots = 0;
    config_.add_to(
        flags_.app(), [](const field_info&) { return true; }, defaults);
}

void bench_flags::add_load_flags() {
    auto& o = options_;
    flags_.begin_group("load");
    flags_.add_switch("--mock", o.mock, "measure against a mock server in this process");
    flags_.add_decimal("--tokens-per-second", o.mock_tokens_per_second, 0, max_tokens_per_second,
                       "R", "token rate of each slot of the mock server (0: unlimited) [50]");
    flags_.add_number("--concurrency", o.concurrency, 1, max_concurrency, "N",
                      "number of concurrent conversations [8]");
    flags_.add_decimal("--rate", o.load.rate, min_rate, max_rate, "R",
                       "new turns per second [closed loop]");
    flags_.add_choice("--arrivals", o.load.spread, arrival_names, "HOW",
                      "arrival process of --rate: poisson or even [poisson]");
    flags_.add_time(
        "--duration", o.load.time,
        "period in which new turns start, or length of a step of --capacity [10s without "
        "--turns; 20s with --capacity]");
    flags_.add_number("--turns", o.load.turns, 1, max_turns, "N",
                      "maximum number of turns [no limit]");
    add_pace_flag(
        flags_, o.pace,
        "simulated speaking rate: none, or wpm=N for N words per minute [none; wpm=170 with "
        "--capacity]");
    add_wait_flag(flags_, o.wait);
}

void bench_flags::add_capacity_flags() {
    flags_.begin_group("capacity");
    flags_.add_switch("--capacity", has_capacity_, "find out how many callers the server carries");
    flags_.add_time("--first-chunk-within", capacity_.limits.first_chunk,
                    "limit of --capacity for the wait for the first chunk, p95 [1s]");
    flags_.add_time("--gap-within", capacity_.limits.gap,
                    "limit of --capacity for the gap between chunks, p99 [100ms]");
}

void bench_flags::add_prompt_flags() {
    flags_.begin_group("prompts");
    flags_.add_text("--prompts", options_.file, "FILE", "file of prompts, or - for stdin");
    add_prompt_and_user_flags(flags_, options_.prompts, options_.user_messages);
    flags_.begin_group("conversations");
    add_user_speech_flags(flags_, options_.users);
    add_placement_flag(flags_, options_.service, "a conversation");
}

void bench_flags::add_output_flags() {
    flags_.begin_group("output");
    flags_.add_switch("--json", options_.json, "print one JSON object");
    add_color_flag(flags_, options_.color);
    add_log_level_flag(flags_, options_.log_level, "off");
    flags_.add_help_flag();
}

bench_options bench_flags::read(const environment& variables, std::vector<std::string>& faults) {
    auto& o = options_;
    faults = describe_unparsed_arguments(flags_.app());
    check_prompts(o.prompts, o.user_messages, faults);
    if (!o.file.empty() && !(o.prompts.empty() && o.user_messages.empty()))
        faults.push_back("--prompts cannot be combined with --prompt or --user");
    flags_.read(faults);
    check_load(faults);
    check_capacity(faults);
    auto loaded = config_.load(variables, faults);
    o.service.client = std::move(loaded.value);
    o.service.servers = std::move(loaded.urls);
    check_mock(faults);
    check_service(o.service, faults);
    return std::move(o);
}

void bench_flags::check_load(std::vector<std::string>& faults) {
    auto& load = options_.load;
    if (flags_.is_set("--arrivals") && !flags_.is_set("--rate"))
        faults.push_back("--arrivals requires --rate");
    if (load.time == duration{}) faults.push_back("--duration is 0; it must be longer than 0");
    if (!flags_.is_set("--duration") && !flags_.is_set("--turns")) load.time = default_run_time;
}

// Rejects flags that set a load, because a capacity search chooses the number of callers itself.
void bench_flags::check_capacity(std::vector<std::string>& faults) {
    auto& o = options_;
    if (!has_capacity_) {
        for (const auto* flag : {"--first-chunk-within", "--gap-within"})
            if (flags_.is_set(flag)) faults.push_back(fmt::format("{} requires --capacity", flag));
        return;
    }
    for (const auto* flag : {"--concurrency", "--rate", "--arrivals", "--turns"})
        if (flags_.is_set(flag))
            faults.push_back(fmt::format("--capacity cannot be combined with {}", flag));
    if (flags_.text("--tts") == "none")
        faults.push_back("--capacity cannot be combined with --tts none");
    if (flags_.is_set("--duration"))
        capacity_.step_time = o.load.time.value_or(capacity_.step_time);
    if (!flags_.is_set("--tts")) o.pace = default_capacity_pace;
    o.capacity = capacity_;
    o.load = {};
}

void bench_flags::check_mock(std::vector<std::string>& faults) {
    const auto& o = options_;
    if (flags_.is_set("--tokens-per-second") && !o.mock)
        faults.push_back("--tokens-per-second requires --mock");
    if (!o.mock) return;
    if (!has_mock()) faults.push_back("--mock is not supported by this build; use --url");
    if (!o.service.servers.empty())
        faults.push_back("--mock cannot be combined with --url or TANDEM_URL");
    if (const int slots = o.service.client.server.slots.value_or(0); slots > bench_mock::max_slots)
        faults.push_back(fmt::format("--slots is {}; a mock server has at most {}", slots,
                                     bench_mock::max_slots));
}

}  // namespace tandem::command

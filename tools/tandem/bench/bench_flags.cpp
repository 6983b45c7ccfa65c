#include "bench/bench_flags.hpp"

#include "bench/bench_mock.hpp"
#include "flags/flag_parsing.hpp"
#include "flags/run_flags.hpp"
#include "flags/service_flags.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <iterator>
#include <string_view>
#include <utility>

namespace tandem::command {
namespace {

constexpr int max_concurrency = 1000;
constexpr int max_turns = 100'000'000;
constexpr double least_rate = 0.001;
constexpr double most_rate = 10'000;
constexpr double most_tokens_per_second = 1'000'000;
constexpr auto usual_time = std::chrono::seconds(10);
constexpr speech_pace usual_voice_of_capacity{170};

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

// Indexed by the enumeration.
constexpr std::array<std::string_view, 2> arrival_names{"poisson", "even"};

}  // namespace

bench_flags::bench_flags(CLI::App& tandem) : app_(*tandem.add_subcommand(name, bench_text)) {
    app_.footer("measure latency under load");
    app_.set_help_flag();
    app_.allow_extras();
    add_load_flags();
    add_capacity_flags();
    add_prompt_flags();
    add_conversation_flags();
    app_.add_flag("--json", texts_.json, "print one JSON object")->group("output");
    add_flag("--color", texts_.color, "WHEN", "use color: auto, always or never [auto]", "output");
    add_flag("--log-level", texts_.log_level, "LEVEL",
             "log level on stderr: debug, info, warning, error or off [off]", "output");
    app_.set_help_flag("-h,--help", "show this help")->group("output");
    auto usual = default_config();
    usual.server.slots = 0;
    config_.add_to(
        app_, [](const field_info&) { return true; }, usual);
}

void bench_flags::add_flag(const char* flag, auto& target, const char* value, const char* help,
                           const char* group) {
    add_value_flag(app_, flag, target, value, help, group);
}

void bench_flags::add_load_flags() {
    auto& t = texts_;
    constexpr auto group = "load";
    app_.add_flag("--mock", t.mock, "measure against a mock server in this process")->group(group);
    add_flag("--tokens-per-second", t.tokens_per_second, "R",
             "token rate of each slot of the mock server (0: unlimited) [50]", group);
    add_flag("--concurrency", t.concurrency, "N", "number of concurrent conversations [8]", group);
    add_flag("--rate", t.rate, "R", "new turns per second [closed loop]", group);
    add_flag("--arrivals", t.arrivals, "HOW",
             "arrival process of --rate: poisson or even [poisson]", group);
    add_flag("--duration", t.time, "TIME",
             "how long to start new turns, or a step of --capacity takes [10s without --turns; "
             "20s with --capacity]",
             group);
    add_flag("--turns", t.turns, "N", "maximum number of turns [no limit]", group);
    add_flag("--tts", t.tts, "PACE",
             "simulated speaking rate: none, or wpm=N for N words per minute [none; wpm=170 with "
             "--capacity]",
             group);
    add_flag("--wait", t.wait, "TIME",
             "how long to wait for servers to start and load their model [0]", group);
}

void bench_flags::add_capacity_flags() {
    constexpr auto group = "capacity";
    app_.add_flag("--capacity", texts_.capacity, "find out how many callers the server carries")
        ->group(group);
    add_flag("--first-chunk-within", texts_.first_chunk_within, "TIME",
             "limit of --capacity for the wait for the first chunk, p95 [1s]", group);
    add_flag("--gap-within", texts_.gap_within, "TIME",
             "limit of --capacity for the gap between chunks, p99 [100ms]", group);
}

void bench_flags::add_prompt_flags() {
    constexpr auto group = "prompts";
    add_flag("--prompts", texts_.file, "FILE", "file of prompts, or - for stdin", group);
    add_flag("--prompt", texts_.prompts, "TEXT", "a raw prompt (may be repeated)", group);
    add_flag("--user", texts_.user_messages, "TEXT", "a user's message (may be repeated)", group);
}

void bench_flags::add_conversation_flags() {
    auto& t = texts_;
    constexpr auto group = "conversations";
    t.users.add_to(app_, group);
    add_flag("--placement", t.placement, "HOW",
             "how to choose a conversation's server: round_robin or least_busy [least_busy]",
             group);
}

bench_options bench_flags::read(const environment& variables, std::vector<std::string>& faults) {
    faults = argument_faults(app_);
    auto options = read_own_flags(faults);
    auto loaded = config_.load(variables);
    std::ranges::move(loaded.faults, std::back_inserter(faults));
    options.service.client = std::move(loaded.value);
    options.service.servers = std::move(loaded.urls);
    if (options.mock && !options.service.servers.empty())
        faults.push_back("--mock cannot be combined with --url or TANDEM_URL");
    if (const int slots = options.service.client.server.slots.value_or(0);
        options.mock && slots > bench_mock::most_slots)
        faults.push_back(fmt::format("--slots is {}; a mock server has at most {}", slots,
                                     bench_mock::most_slots));
    std::ranges::move(service_faults(options.service), std::back_inserter(faults));
    return options;
}

bench_options bench_flags::read_own_flags(std::vector<std::string>& faults) {
    auto& t = texts_;
    bench_options o;
    std::ranges::move(text_faults(t.prompts, t.user_messages), std::back_inserter(faults));
    if (!t.file.empty() && !(t.prompts.empty() && t.user_messages.empty()))
        faults.push_back("--prompts cannot be combined with --prompt or --user");
    read_load(o, faults);
    read_mock(o, faults);
    if (!t.tts.empty()) read_pace(t.tts, o.pace, faults);
    o.users = t.users.read(faults);
    read_capacity(o, faults);
    read_wait(t.wait, o.wait, faults);
    read_placement(t.placement, o.service, faults);
    read_color(t.color, o.color, faults);
    read_log_level(t.log_level, o.log_level, faults);
    o.json = t.json;
    o.file = std::move(t.file);
    o.prompts = std::move(t.prompts);
    o.user_messages = std::move(t.user_messages);
    return o;
}

void bench_flags::read_load(bench_options& o, std::vector<std::string>& faults) const {
    const auto& t = texts_;
    if (!t.concurrency.empty())
        read_number("--concurrency", t.concurrency, 1, max_concurrency, o.concurrency, faults);
    if (!t.rate.empty())
        read_decimal("--rate", t.rate, least_rate, most_rate, o.load.rate.emplace(1), faults);
    if (!t.arrivals.empty())
        read_choice("--arrivals", arrival_names, t.arrivals, o.load.spread, faults);
    if (!t.arrivals.empty() && t.rate.empty()) faults.push_back("--arrivals requires --rate");
    if (!t.turns.empty())
        read_number("--turns", t.turns, 1, max_turns, o.load.turns.emplace(1), faults);
    if (!t.time.empty()) read_time("--duration", t.time, o.load.time.emplace(1), faults);
    if (o.load.time == duration{}) faults.push_back("--duration is 0; it must be longer than 0");
    if (t.time.empty() && t.turns.empty()) o.load.time = usual_time;
}

// A step begins and ends by its time, with a number of callers of its own.
void bench_flags::read_capacity(bench_options& o, std::vector<std::string>& faults) const {
    const auto& t = texts_;
    const std::array limits{std::pair{"--first-chunk-within", &t.first_chunk_within},
                            std::pair{"--gap-within", &t.gap_within}};
    if (!t.capacity) {
        for (const auto& [flag, text] : limits)
            if (!text->empty()) faults.push_back(fmt::format("{} requires --capacity", flag));
        return;
    }
    for (const auto& [flag, text] :
         std::array{std::pair{"--concurrency", &t.concurrency}, std::pair{"--rate", &t.rate},
                    std::pair{"--arrivals", &t.arrivals}, std::pair{"--turns", &t.turns}})
        if (!text->empty())
            faults.push_back(fmt::format("--capacity cannot be combined with {}", flag));
    if (t.tts == "none") faults.push_back("--capacity cannot be combined with --tts none");
    auto& c = o.capacity.emplace();
    if (!t.first_chunk_within.empty())
        read_time("--first-chunk-within", t.first_chunk_within, c.limits.first_chunk, faults);
    if (!t.gap_within.empty()) read_time("--gap-within", t.gap_within, c.limits.gap, faults);
    if (!t.time.empty()) c.step_time = o.load.time.value_or(c.step_time);
    if (t.tts.empty()) o.pace = usual_voice_of_capacity;
    o.load = {};
}

void bench_flags::read_mock(bench_options& o, std::vector<std::string>& faults) const {
    const auto& t = texts_;
    o.mock = t.mock;
    if (t.mock && !has_mock()) faults.push_back("--mock is not supported by this build; use --url");
    if (t.tokens_per_second.empty()) return;
    if (!t.mock) faults.push_back("--tokens-per-second requires --mock");
    read_decimal("--tokens-per-second", t.tokens_per_second, 0, most_tokens_per_second,
                 o.mock_tokens_per_second, faults);
}

}  // namespace tandem::command

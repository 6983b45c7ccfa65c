#include "replay/replay_flags.hpp"

#include "flags/flag_faults.hpp"
#include "flags/run_flags.hpp"
#include "flags/service_flags.hpp"
#include "replay/replay_report.hpp"
#include "text/shown_url.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace tandem::command {
namespace {

constexpr int max_concurrency = 1000;
constexpr double slowest_speed = 0.01;
constexpr double fastest_speed = 1000;

constexpr const char* replay_text = R"(Example:
  tandem replay --url http://127.0.0.1:8080 --tts wpm=160 prompts.jsonl

Sends prompts to llama-server, and shows how each reply is handed over chunk by
chunk: the next chunk is asked for when the one before is spoken.

Usage: tandem replay [FLAG...] FILE
       tandem replay [FLAG...] --user TEXT
       tandem replay [FLAG...] --from-recording FILE

FILE has one JSON object a line ("-" reads stdin), of one of these kinds:
  {"prompt": "raw text"}
  {"messages": [{"role": "user", "content": "Hello"}]}
  {"system": "Be brief.", "turns": ["Hello", "And then?"]}
Each may have "id", "max_tokens" and "interrupt_after_ms". A reply is called by
its line's id, and further turns of a line by their number too: p1, p1.1, p1.2.

messages and turns are held as conversations, whose history has what a listener
heard of an interrupted turn. They use all slots of their server unless --slots
is given. Raw prompts know no history; in a file of both kinds they come first.
Several servers (--url may be repeated) share the conversations: one whose
server dies goes on at another one. Raw prompts take the servers in turn, and
wait for their own if it dies. A server that is down is told once.

The columns show the time since a reply was asked for, the slot, how many tokens
of the prompt it still held and how many it evaluated, and the chunk.

Times are written 250ms, 2s, 1m, 0.5h or as plain seconds. Each flag of the
groups server to generation may also be set by a variable (--reuse-guard by
TANDEM_REUSE_GUARD) or in the file of --config ("reuse_guard"). Flags win over
variables, and variables over the file.

Exit status: 0 all replies complete, 1 some failed, or a report or recording
could not be written, 2 wrong use, 130 stopped with Ctrl-C, 143 with SIGTERM,
129 with SIGHUP, 141 when nobody reads its output any more.)";

// In the order of their enumerations.
constexpr std::array<std::string_view, 4> history_names{"heard", "handed_over", "full", "none"};

}  // namespace

replay_flags::replay_flags(CLI::App& tandem) : app_(*tandem.add_subcommand(name, replay_text)) {
    app_.footer("send prompts, show the chunks");
    app_.set_help_flag();
    app_.allow_extras();
    add_own_flags();
    app_.set_help_flag("-h,--help", "this text")->group("output");
    config_.add_to(app_);
}

void replay_flags::add_flag(const char* flag, auto& target, const char* value, const char* help,
                            const char* group) {
    add_value_flag(app_, flag, target, value, help, group);
}

void replay_flags::add_conversation_flags() {
    auto& t = texts_;
    constexpr auto group = "conversations";
    add_flag("--placement", t.placement, "HOW",
             "server of a conversation: round_robin, or least_busy for its slots [least_busy]",
             group);
    add_flag("--slots-per-conversation", t.slots_per_conversation, "N",
             "slots that one has for itself while it generates (0: two with a reuse guard, else "
             "one) [0]",
             group);
    app_.add_flag("--share-idle-slots", t.share_idle_slots,
                  "where no slot is free, take one that rests while its voice speaks")
        ->group(group);
    add_flag("--interrupted", t.interrupted, "WHAT",
             "what history keeps of an interrupted turn: heard, handed_over, full or none [heard]",
             group);
    add_flag("--interrupted-mark", t.interrupted_mark, "TEXT",
             "put behind what is kept of it, if something was left out", group);
}

void replay_flags::add_recording_flags() {
    auto& t = texts_;
    record_.add_to(app_, "recording");
    add_flag("--from-recording", t.recording, "FILE",
             "run again what was recorded, without a server: with the same settings, and those of "
             "the flags that are given in their place",
             "recording");
    add_flag("--speed", t.speed, "N",
             "servers are so many times as fast as they were, or max: nothing is waited for, nor "
             "for voice and reuse guard unless they are given or a line interrupts [1]",
             "recording");
}

void replay_flags::add_own_flags() {
    auto& t = texts_;
    app_.add_option("FILE", t.file, "file of prompts, or - for stdin")->group("prompts");
    add_flag("--prompt", t.prompts, "TEXT", "a raw prompt (may be repeated)", "prompts");
    add_flag("--user", t.user_messages, "TEXT", "a user's message (may be repeated)", "prompts");
    add_flag("--tts", t.tts, "PACE",
             "how long a chunk is spoken: none, or wpm=N for N words a minute [none]", "run");
    add_flag("--conversations", t.conversations, "N",
             "run each line of FILE N times at once, under the ids p1#1 to p1#N [1]", "run");
    add_flag(
        "--concurrency", t.concurrency, "N",
        "lines of FILE that run at a time, each run of a line counted [as many as --conversations]",
        "run");
    add_flag("--wait", t.wait, "TIME",
             "how long to wait for servers that start or load their model [0]", "run");
    add_conversation_flags();
    add_recording_flags();
    app_.add_flag("--json", t.json, "one JSON object a line, for programs")->group("output");
    add_flag("--report", t.reports, "FILE",
             "write a page of time lines, figures and texts (FILE.html), or a drawing of the only "
             "reply (FILE.svg); may be repeated",
             "output");
    add_flag("--color", t.color, "WHEN", "auto, always or never [auto]", "output");
    add_flag("--log-level", t.log_level, "LEVEL",
             "log lines on stderr: debug, info, warning, error or off [warning with --json or "
             "--verify-cut, else off]",
             "output");
}

replay_options replay_flags::read(const environment& variables, std::vector<std::string>& faults) {
    faults = unknown_flags(app_);
    // The value of an unknown flag is taken for FILE: more would mislead.
    if (faults.empty()) faults = prompt_faults();
    auto opened = open(faults);
    auto options = read_own_flags(faults);
    // What is set here is no matter of what was run elsewhere.
    auto loaded = config_.load(opened.file ? environment() : variables, opened.run.settings);
    std::ranges::move(loaded.faults, std::back_inserter(faults));
    options.service.server = std::move(loaded.value);
    options.service.servers = std::move(loaded.urls);
    check_servers(opened, options.service, faults);
    options.played = std::move(opened.file);
    options.played_dialogues = std::move(opened.run.dialogues);
    options.played_source = std::move(opened.source);
    options.played_note = std::move(opened.note);
    std::ranges::move(service_faults(options.service), std::back_inserter(faults));
    return options;
}

// What is wrong with FILE, --prompt and --user.
std::vector<std::string> replay_flags::prompt_faults() const {
    auto faults = surplus_arguments(app_);
    const bool has_prompts = !texts_.prompts.empty() || !texts_.user_messages.empty();
    const bool has_recording = !texts_.recording.empty();
    if (texts_.file.empty() && !has_prompts && !has_recording)
        faults.push_back(
            "there is nothing to replay; give a FILE, -, --prompt, --user or --from-recording");
    if (has_recording && (has_prompts || !texts_.file.empty()))
        faults.push_back(
            "FILE, --prompt or --user is given with --from-recording, which has its "
            "own prompts; leave one of them out");
    if (!texts_.file.empty() && has_prompts)
        faults.push_back("FILE and --prompt or --user are given; one of them is possible");
    std::ranges::move(text_faults(texts_.prompts, texts_.user_messages),
                      std::back_inserter(faults));
    return faults;
}

void replay_flags::read_conversation_flags(service_config& c,
                                           std::vector<std::string>& faults) const {
    const auto& t = texts_;
    read_placement(t.placement, c, faults);
    read_slots_per_conversation(t.slots_per_conversation, c, faults);
    c.share_idle_slots = t.share_idle_slots;
    read_choice("--interrupted", history_names, t.interrupted, c.conversation.interrupted, faults);
    c.conversation.interrupted_mark = t.interrupted_mark;
}

std::map<std::string, std::string*> replay_flags::run_flags() {
    auto& t = texts_;
    return {{"tts", &t.tts},
            {"conversations", &t.conversations},
            {"concurrency", &t.concurrency},
            {"placement", &t.placement},
            {"slots-per-conversation", &t.slots_per_conversation},
            {"interrupted", &t.interrupted},
            {"interrupted-mark", &t.interrupted_mark}};
}

bool replay_flags::is_given(const std::string& flag) const {
    return app_.count(flag) > 0;
}

// 0 = without waiting.
double replay_flags::speed(std::vector<std::string>& faults) const {
    if (is_given("--speed") && texts_.recording.empty())
        faults.push_back("--speed is given without --from-recording FILE");
    double n = 0;
    if (texts_.speed != "max")
        read_decimal("--speed", texts_.speed, slowest_speed, fastest_speed, n, faults);
    return n;
}

opened_recording replay_flags::open(std::vector<std::string>& faults) {
    const auto n = speed(faults);
    if (texts_.recording.empty()) return {};
    auto opened = open_recording(texts_.recording);
    if (!opened.fault.empty()) faults.push_back("--from-recording " + opened.fault);
    if (!opened.file) return opened;
    opened.file->set_speed(n);
    opened.source = source_text(texts_.recording, n);
    for (const auto& [flag, text] : run_flags())
        if (const auto found = opened.run.flags.find(flag);
            found != opened.run.flags.end() && !is_given("--" + flag))
            *text = found->second;
    if (!is_given("--share-idle-slots"))
        texts_.share_idle_slots = opened.run.flags.contains("share-idle-slots");
    // An interruption comes at a time of the voice.
    const bool is_timed = std::ranges::any_of(
        opened.run.dialogues, [](const dialogue& d) { return d.interrupt_after.has_value(); });
    if (n != 0 || is_timed) return opened;
    if (!is_given("--tts")) texts_.tts = "none";
    opened.run.settings.push_back({"--speed max", "reuse_guard", "0"});
    return opened;
}

void replay_flags::check_servers(const opened_recording& opened, const service_config& c,
                                 std::vector<std::string>& faults) const {
    if (!opened.file || opened.file->servers().empty()) return;
    const auto& known = opened.file->servers();
    for (const auto& url : server_urls(c))
        if (std::ranges::find(known, url) == known.end())
            faults.push_back(fmt::format("--url {} is no server of the recording, which has {}",
                                         url, fmt::join(known, ", ")));
}

void replay_flags::read_report(replay_options& o, std::vector<std::string>& faults) const {
    for (const auto& file : texts_.reports)
        if (!is_page(file) && !is_drawing(file))
            faults.push_back(fmt::format(
                "--report is {}; its name must end in .html, or in .svg for one reply", file));
    o.reports = texts_.reports;
}

replay_options replay_flags::read_own_flags(std::vector<std::string>& faults) {
    auto& t = texts_;
    replay_options o;
    read_pace(t.tts, o.pace, faults);
    read_wait(t.wait, o.wait, faults);
    read_number("--conversations", t.conversations, 1, max_concurrency, o.conversations, faults);
    o.concurrency = o.conversations;
    if (!t.concurrency.empty())
        read_number("--concurrency", t.concurrency, 1, max_concurrency, o.concurrency, faults);
    read_color(t.color, o.color, faults);
    read_log_level(t.log_level, o.log_level, faults);
    read_conversation_flags(o.service, faults);
    read_report(o, faults);
    o.record = record_.read(faults);
    std::vector<named_file> others{{"--from-recording", t.recording}};
    for (const auto& file : t.reports) others.push_back({"--report", file});
    std::ranges::move(shared_file_faults(o.record, others), std::back_inserter(faults));
    for (const auto& [flag, text] : run_flags())
        if (!text->empty()) o.recorded_flags[flag] = *text;
    if (t.share_idle_slots) o.recorded_flags["share-idle-slots"] = "true";
    o.json = t.json;
    o.file = std::move(t.file);
    o.prompts = std::move(t.prompts);
    o.user_messages = std::move(t.user_messages);
    return o;
}

}  // namespace tandem::command

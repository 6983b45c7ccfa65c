#include "replay/replay_flags.hpp"

#include "flags/flag_parsing.hpp"
#include "flags/run_flags.hpp"
#include "flags/service_flags.hpp"
#include "replay/replay_report.hpp"
#include "text/redact_url.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace tandem::command {
namespace {

constexpr int max_replayed_at_once = 1000;
constexpr double slowest_speed = 0.01;
constexpr double fastest_speed = 1000;

constexpr const char* replay_text = R"(Example:
  tandem replay --url http://127.0.0.1:8080 --tts wpm=160 prompts.jsonl

Sends prompts to llama-server, and shows how each reply is handed over chunk by
chunk: the next chunk is requested when the previous one has been spoken.

Usage: tandem replay [FLAG...] FILE
       tandem replay [FLAG...] --user TEXT
       tandem replay [FLAG...] --from-recording FILE

FILE contains one JSON object per line ("-" reads stdin), of one of these kinds:
  {"prompt": "raw text"}
  {"messages": [{"role": "user", "content": "Hello"}]}
  {"system": "Be brief.", "turns": ["Hello", "And then?"]}
Each may have "id", "max_tokens", "interrupt_after_ms" and "expect". A reply is
named by the id of its line; further turns of a line have a number: p1, p1.1.
Lines of the last two kinds may have "tools" as in OpenAI's API, and "results"
of their functions: {"get_time": "12:00"}, or lists of texts in the order of the
calls. The reply to the results is a further turn.

"expect" checks the last turn of a line; a turn {"user": "Hello", "expect": ...}
has its own: {"text": "regular expression", "not_text": "regular expression",
"calls": ["get_time"], "finish_reason": "eos", "first_chunk_ms": 800,
"gap_ms": 300, "chunks": {"min": 1, "max": 3}}.

messages and turns run as conversations. Their history contains what a listener
heard of an interrupted turn. They use all slots of their server unless --slots
is given. Raw prompts have no history. In a file of both kinds they run first.
With --partials or --eager, each message is spoken word by word before it is
sent, and counts from the end of the turn. Partial transcripts are evaluated,
and the first chunk is drafted, while the user speaks.
Several servers (--url may be repeated) share the conversations. If a server
dies, its conversations continue on another one. Raw prompts use the servers in
rotation; if a server dies, its prompts wait for it. A server that is down is
reported once.

The columns show the time since the reply was requested, the slot, the cached
and the evaluated tokens of the prompt, and the chunk.

Times are written as 250ms, 2s, 1m, 0.5h or plain seconds. The flags of the
groups server to generation can also be set by environment variables
(--reuse-guard by TANDEM_REUSE_GUARD) or in the file of --config
("reuse_guard"). Flags override variables, and variables override the file.

Exit status: 0 all replies complete, 1 some failed, an expectation is broken, or
a file could not be written, 2 wrong use, 130 stopped with Ctrl-C, 143 with
SIGTERM, 129 with SIGHUP, 141 if the reader of its output has gone.)";

// Indexed by the enumeration.
constexpr std::array<std::string_view, 4> history_names{"heard", "handed_over", "full", "none"};

}  // namespace

replay_flags::replay_flags(CLI::App& tandem) : app_(*tandem.add_subcommand(name, replay_text)) {
    app_.footer("send prompts and show the chunks");
    app_.set_help_flag();
    app_.allow_extras();
    add_own_flags();
    app_.set_help_flag("-h,--help", "show this help")->group("output");
    config_.add_to(app_);
}

void replay_flags::add_flag(const char* flag, auto& target, const char* value, const char* help,
                            const char* group) {
    add_value_flag(app_, flag, target, value, help, group);
}

void replay_flags::add_conversation_flags() {
    auto& t = texts_;
    constexpr auto group = "conversations";
    t.users.add_to(app_, group);
    add_flag("--placement", t.placement, "HOW",
             "how to choose a conversation's server: round_robin or least_busy [least_busy]",
             group);
    add_flag("--interrupted", t.interrupted, "WHAT",
             "text of an interrupted turn to keep: heard, handed_over, full or none [heard]",
             group);
    add_flag("--interrupted-mark", t.interrupted_mark, "TEXT",
             "text appended to an interrupted turn if part of it is not kept", group);
}

void replay_flags::add_recording_flags() {
    auto& t = texts_;
    record_.add_to(app_, "recording");
    add_flag("--from-recording", t.recording, "FILE",
             "replay a recording without a server; flags override its settings", "recording");
    add_flag("--speed", t.speed, "N",
             "speed factor of the recorded servers, or max for no waits; max also skips voice and "
             "reuse guard unless they are set or a line interrupts [1]",
             "recording");
}

void replay_flags::add_own_flags() {
    auto& t = texts_;
    app_.add_option("FILE", t.file, "file of prompts, or - for stdin")->group("prompts");
    add_flag("--prompt", t.prompts, "TEXT", "a raw prompt (may be repeated)", "prompts");
    add_flag("--user", t.user_messages, "TEXT", "a user's message (may be repeated)", "prompts");
    add_flag("--system", t.system, "TEXT", "the system prompt of each --user", "prompts");
    add_flag("--tts", t.tts, "PACE",
             "simulated speaking rate: none, or wpm=N for N words per minute [none]", "run");
    add_flag("--conversations", t.conversations, "N",
             "run each line of FILE N times concurrently, with IDs p1#1 to p1#N [1]", "run");
    add_flag("--concurrency", t.concurrency, "N",
             "maximum concurrent runs of lines of FILE [value of --conversations]", "run");
    add_flag("--wait", t.wait, "TIME",
             "how long to wait for servers to start and load their model [0]", "run");
    add_conversation_flags();
    add_recording_flags();
    app_.add_flag("--json", t.json, "print one JSON object per line")->group("output");
    add_flag("--report", t.reports, "FILE",
             "write a report page (FILE.html), or a drawing of a single reply (FILE.svg); may be "
             "repeated",
             "output");
    add_flag("--junit", t.junit, "FILE", "write the turns with expectations as a JUnit XML file",
             "output");
    add_flag("--color", t.color, "WHEN", "use color: auto, always or never [auto]", "output");
    add_flag("--log-level", t.log_level, "LEVEL",
             "log level on stderr: debug, info, warning, error or off [warning with --json or "
             "--verify-cut, else off]",
             "output");
}

replay_options replay_flags::read(const environment& variables, std::vector<std::string>& faults) {
    faults = unknown_flags(app_);
    // CLI11 parses the value of an unknown flag as FILE, so further faults would mislead.
    if (faults.empty()) faults = prompt_faults();
    auto opened = open(faults);
    auto options = read_own_flags(faults);
    // The local environment does not apply to a recorded run, which may come from another machine.
    auto loaded = config_.load(opened.file ? environment() : variables, opened.run.settings);
    std::ranges::move(loaded.faults, std::back_inserter(faults));
    options.service.client = std::move(loaded.value);
    auto& mode = options.service.client.pacing.mode;
    mode = mode.value_or(pacing::warm);
    options.service.servers = std::move(loaded.urls);
    check_servers(opened, options.service, faults);
    options.played = std::move(opened.file);
    options.played_dialogues = std::move(opened.run.dialogues);
    options.played_source = std::move(opened.source);
    options.played_note = std::move(opened.note);
    std::ranges::move(service_faults(options.service), std::back_inserter(faults));
    return options;
}

// Reports faults of FILE, --prompt and --user.
std::vector<std::string> replay_flags::prompt_faults() const {
    auto faults = surplus_arguments(app_);
    const bool has_prompts = !texts_.prompts.empty() || !texts_.user_messages.empty();
    const bool has_recording = !texts_.recording.empty();
    if (texts_.file.empty() && !has_prompts && !has_recording)
        faults.push_back("nothing to replay; give FILE, -, --prompt, --user or --from-recording");
    if (has_recording && (has_prompts || !texts_.file.empty()))
        faults.push_back("--from-recording cannot be combined with FILE, --prompt or --user");
    if (!texts_.file.empty() && has_prompts)
        faults.push_back("FILE cannot be combined with --prompt or --user");
    check_utf8("--system", texts_.system, faults);
    if (is_given("--system") && texts_.user_messages.empty())
        faults.push_back("--system requires --user TEXT; lines of FILE have their own system");
    std::ranges::move(text_faults(texts_.prompts, texts_.user_messages),
                      std::back_inserter(faults));
    return faults;
}

void replay_flags::read_conversation_flags(service_config& c,
                                           std::vector<std::string>& faults) const {
    const auto& t = texts_;
    read_placement(t.placement, c, faults);
    read_choice("--interrupted", history_names, t.interrupted, c.conversation.interrupted, faults);
    c.conversation.interrupted_mark = t.interrupted_mark;
}

std::map<std::string, std::string*> replay_flags::string_flag_targets() {
    auto& t = texts_;
    return {{"tts", &t.tts},
            {"partials", &t.users.partials},
            {"eager", &t.users.eager},
            {"revise", &t.users.revise},
            {"conversations", &t.conversations},
            {"concurrency", &t.concurrency},
            {"placement", &t.placement},
            {"interrupted", &t.interrupted},
            {"interrupted-mark", &t.interrupted_mark}};
}

bool replay_flags::is_given(const std::string& flag) const {
    return app_.count(flag) > 0;
}

// Returns the playback speed; 0 = without waiting.
double replay_flags::speed(std::vector<std::string>& faults) const {
    if (is_given("--speed") && texts_.recording.empty())
        faults.push_back("--speed requires --from-recording FILE");
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
    for (const auto& [flag, text] : string_flag_targets())
        if (const auto found = opened.run.flags.find(flag);
            found != opened.run.flags.end() && !is_given("--" + flag))
            *text = found->second;
    // Interruptions depend on the speaking time, so such runs keep their --tts.
    const bool is_timed = std::ranges::any_of(
        opened.run.dialogues, [](const dialogue& d) { return d.interrupt_after.has_value(); });
    if (n != 0 || is_timed) return opened;
    if (!is_given("--tts")) texts_.tts = "none";
    if (!is_given("--partials") && !is_given("--eager")) texts_.users = {};
    opened.run.settings.push_back({"--speed max", "reuse_guard", "0"});
    return opened;
}

void replay_flags::check_servers(const opened_recording& opened, const service_config& c,
                                 std::vector<std::string>& faults) const {
    if (!opened.file || opened.file->servers().empty()) return;
    const auto& known = opened.file->servers();
    for (const auto& url : server_urls(c))
        if (std::ranges::find(known, url) == known.end())
            faults.push_back(fmt::format("--url {} is not a server of the recording, which has {}",
                                         url, fmt::join(known, ", ")));
}

void replay_flags::read_report(replay_options& o, std::vector<std::string>& faults) const {
    for (const auto& file : texts_.reports)
        if (!is_page(file) && !is_drawing(file))
            faults.push_back(fmt::format(
                "--report is {}; its name must end in .html, or in .svg for one reply", file));
    o.reports = texts_.reports;
}

void replay_flags::read_junit(replay_options& o, std::vector<std::string>& faults) const {
    const auto& t = texts_;
    if (t.junit == "-")
        faults.push_back("--junit is -, but the run itself is written to stdout; name a file");
    if (is_given("--junit") && t.junit.empty()) faults.push_back("--junit is empty; name a file");
    if (!t.junit.empty() && (t.junit == t.file || t.junit == t.recording ||
                             std::ranges::find(t.reports, t.junit) != t.reports.end()))
        faults.push_back(fmt::format("--junit names {}, which the run also uses", t.junit));
    o.junit = t.junit;
}

replay_options replay_flags::read_own_flags(std::vector<std::string>& faults) {
    auto& t = texts_;
    replay_options o;
    read_pace(t.tts, o.pace, faults);
    o.users = t.users.read(faults);
    read_wait(t.wait, o.wait, faults);
    read_number("--conversations", t.conversations, 1, max_replayed_at_once, o.conversations,
                faults);
    o.concurrency = o.conversations;
    if (!t.concurrency.empty())
        read_number("--concurrency", t.concurrency, 1, max_replayed_at_once, o.concurrency, faults);
    read_color(t.color, o.color, faults);
    read_log_level(t.log_level, o.log_level, faults);
    read_conversation_flags(o.service, faults);
    read_report(o, faults);
    read_junit(o, faults);
    o.record = record_.read(faults);
    std::vector<named_file> others{{"--from-recording", t.recording}, {"--junit", t.junit}};
    for (const auto& file : t.reports) others.push_back({"--report", file});
    std::ranges::move(shared_file_faults(o.record, others), std::back_inserter(faults));
    for (const auto& [flag, text] : string_flag_targets())
        if (!text->empty()) o.recorded_flags[flag] = *text;
    o.json = t.json;
    o.file = std::move(t.file);
    o.prompts = std::move(t.prompts);
    o.user_messages = std::move(t.user_messages);
    o.system = std::move(t.system);
    return o;
}

}  // namespace tandem::command

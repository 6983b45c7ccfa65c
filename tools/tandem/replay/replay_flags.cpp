#include "replay/replay_flags.hpp"

#include "flags/run_flags.hpp"
#include "replay/replay_report.hpp"
#include "text/url_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
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

// Indexed by history_policy.
constexpr std::array<std::string_view, 4> history_names{"heard", "handed_over", "full", "none"};

// Flags that a recording stores: they define the run, not its servers or its output.
constexpr std::array recorded_flags{"--tts",       "--partials",      "--eager",
                                    "--revise",    "--conversations", "--concurrency",
                                    "--placement", "--interrupted",   "--interrupted-mark"};

std::string recorded_name(const char* flag) {
    return flag + std::string_view("--").size();
}

}  // namespace

replay_flags::replay_flags(CLI::App& tandem)
    : flags_(tandem, name, replay_text, "send prompts and show the chunks") {
    add_run_flags();
    add_conversation_flags();
    add_recording_flags();
    add_output_flags();
    config_.add_to(flags_.app());
}

void replay_flags::add_run_flags() {
    auto& o = options_;
    flags_.begin_group("prompts");
    flags_.add_argument("FILE", o.file, "file of prompts, or - for stdin");
    add_prompt_and_user_flags(flags_, o.prompts, o.user_messages);
    flags_.add_text("--system", o.system, "TEXT", "the system prompt of each --user");
    flags_.begin_group("run");
    add_pace_flag(flags_, o.pace, "simulated speaking rate: none, or wpm=N for N words per minute",
                  "none");
    flags_.add_number("--conversations", o.conversations, 1, max_replayed_at_once, "N",
                      "run each line of FILE N times concurrently, with IDs p1#1 to p1#N", "1");
    flags_.add_number("--concurrency", o.concurrency, 1, max_replayed_at_once, "N",
                      "maximum concurrent runs of lines of FILE [value of --conversations]");
    add_wait_flag(flags_, o.wait);
}

void replay_flags::add_conversation_flags() {
    auto& s = options_.service;
    flags_.begin_group("conversations");
    add_user_speech_flags(flags_, options_.users);
    add_placement_flag(flags_, s, "a conversation");
    flags_.add_choice("--interrupted", s.conversation.interrupted, history_names, "WHAT",
                      "text of an interrupted turn to keep: heard, handed_over, full or none",
                      "heard");
    const auto read_mark = [&s](const std::string& text, auto&) {
        s.conversation.interrupted_mark = text;
    };
    flags_.add("--interrupted-mark", "TEXT",
               "text appended to an interrupted turn if part of it is not kept", read_mark);
}

void replay_flags::add_recording_flags() {
    flags_.begin_group("recording");
    add_record_flags(flags_, options_.record);
    flags_.add_text("--from-recording", recording_, "FILE",
                    "replay a recording without a server; flags override its settings");
    flags_.add_text("--speed", speed_, "N",
                    "speed factor of the recorded servers, or max for no waits; max also skips "
                    "voice and reuse guard unless they are set or a line interrupts [1]");
}

void replay_flags::add_output_flags() {
    auto& o = options_;
    flags_.begin_group("output");
    flags_.add_switch("--json", o.json, "print one JSON object per line");
    flags_.add_text("--report", o.reports, "FILE",
                    "write a report page (FILE.html), or a drawing of a single reply (FILE.svg); "
                    "may be repeated");
    flags_.add_text("--junit", o.junit, "FILE",
                    "write the turns with expectations as a JUnit XML file");
    add_color_flag(flags_, o.color);
    add_log_level_flag(flags_, o.log_level, "warning with --json or --verify-cut, else off");
    flags_.add_help_flag();
}

replay_options replay_flags::read(const environment& variables, std::vector<std::string>& faults) {
    auto& o = options_;
    faults = describe_unknown_flags(flags_.app());
    // CLI11 takes the value of an unknown flag for FILE, and faults of this FILE would mislead.
    if (faults.empty()) check_texts(faults);
    auto opened = open(faults);
    flags_.read(faults);
    if (!flags_.is_set("--concurrency")) o.concurrency = o.conversations;
    for (const auto* flag : recorded_flags)
        if (flags_.is_set(flag)) o.recorded_flags[recorded_name(flag)] = flags_.text(flag);
    check_outputs(faults);
    // The local environment does not apply to a recorded run, which may come from another machine.
    auto loaded =
        config_.load(opened.file ? environment() : variables, faults, opened.run.settings);
    o.service.client = std::move(loaded.value);
    auto& mode = o.service.client.pacing.mode;
    mode = mode.value_or(pacing::warm);
    o.service.servers = std::move(loaded.urls);
    check_servers(opened, faults);
    if (opened.file) o.file = recording_;
    o.played = std::move(opened.file);
    o.played_dialogues = std::move(opened.run.dialogues);
    o.played_source = std::move(opened.source);
    o.played_note = std::move(opened.note);
    check_service(o.service, faults);
    return std::move(o);
}

// Reports faults of FILE, --prompt, --user and --system.
void replay_flags::check_texts(std::vector<std::string>& faults) const {
    const auto& o = options_;
    faults = describe_surplus_arguments(flags_.app());
    const bool has_prompts = !o.prompts.empty() || !o.user_messages.empty();
    const bool has_recording = !recording_.empty();
    if (o.file.empty() && !has_prompts && !has_recording)
        faults.push_back("nothing to replay; give FILE, -, --prompt, --user or --from-recording");
    if (has_recording && (has_prompts || !o.file.empty()))
        faults.push_back("--from-recording cannot be combined with FILE, --prompt or --user");
    if (!o.file.empty() && has_prompts)
        faults.push_back("FILE cannot be combined with --prompt or --user");
    check_utf8("--system", o.system, faults);
    if (flags_.is_given("--system") && o.user_messages.empty())
        faults.push_back("--system requires --user TEXT; lines of FILE have their own system");
    check_prompts(o.prompts, o.user_messages, faults);
}

// Returns the playback speed; 0 = without waiting.
double replay_flags::speed(std::vector<std::string>& faults) const {
    if (flags_.is_given("--speed") && recording_.empty())
        faults.push_back("--speed requires --from-recording FILE");
    if (speed_ == "max") return 0;
    return read_decimal("--speed", speed_, slowest_speed, fastest_speed, faults).value_or(0);
}

opened_recording replay_flags::open(std::vector<std::string>& faults) {
    const auto n = speed(faults);
    if (recording_.empty()) return {};
    auto opened = open_recording(recording_);
    if (!opened.fault.empty()) faults.push_back("--from-recording " + opened.fault);
    if (!opened.file) return opened;
    opened.file->set_speed(n);
    opened.source = describe_recording_source(recording_, n);
    for (const auto* flag : recorded_flags)
        if (const auto found = opened.run.flags.find(recorded_name(flag));
            found != opened.run.flags.end() && !flags_.is_given(flag))
            flags_.text(flag) = found->second;
    // A run with `interrupt_after_ms` keeps its --tts, because the speaking time determines what an
    // interruption cuts off.
    const bool is_timed = std::ranges::any_of(
        opened.run.dialogues, [](const dialogue& d) { return d.interrupt_after.has_value(); });
    if (n != 0 || is_timed) return opened;
    if (!flags_.is_given("--tts")) flags_.text("--tts") = "none";
    if (!flags_.is_given("--partials") && !flags_.is_given("--eager"))
        for (const auto* flag : {"--partials", "--eager", "--revise"}) flags_.text(flag).clear();
    opened.run.settings.push_back({"--speed max", "reuse_guard", "0"});
    return opened;
}

void replay_flags::check_servers(const opened_recording& opened,
                                 std::vector<std::string>& faults) const {
    if (!opened.file || opened.file->servers().empty()) return;
    const auto& known = opened.file->servers();
    for (const auto& url : server_urls(options_.service))
        if (std::ranges::find(known, url) == known.end())
            faults.push_back(fmt::format("--url {} is not a server of the recording, which has {}",
                                         url, fmt::join(known, ", ")));
}

// Checks the files that the run writes.
void replay_flags::check_outputs(std::vector<std::string>& faults) const {
    const auto& o = options_;
    for (const auto& file : o.reports)
        if (!is_page(file) && !is_drawing(file))
            faults.push_back(fmt::format(
                "--report is {}; its name must end in .html, or in .svg for one reply", file));
    check_output_file("--junit", o.junit, faults);
    if (flags_.is_given("--junit") && o.junit.empty())
        faults.push_back("--junit is empty; name a file");
    if (!o.junit.empty() && (o.junit == o.file || o.junit == recording_ ||
                             std::ranges::find(o.reports, o.junit) != o.reports.end()))
        faults.push_back(fmt::format("--junit names {}, which the run also uses", o.junit));
    std::vector<named_file> others{{"--from-recording", recording_}, {"--junit", o.junit}};
    for (const auto& file : o.reports) others.push_back({"--report", file});
    check_record_flags(flags_, o.record, others, faults);
}

}  // namespace tandem::command

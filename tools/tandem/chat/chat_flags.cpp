#include "chat/chat_flags.hpp"

#include "flags/run_flags.hpp"
#include "flags/tools_argument.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tandem::command {
namespace {

// The range that espeak-ng accepts.
constexpr int slowest_voice = 80;
constexpr int fastest_voice = 450;

// The library's 30 s are too short: a chunk of 96 tokens takes half a minute to speak, and its
// synthesis takes additional time.
constexpr auto default_continue_timeout = std::chrono::minutes(5);

constexpr const char* chat_text = R"(Example:
  tandem chat --url http://127.0.0.1:8080 --system "You are a friendly voice."

A voice bot in a terminal: type a line, hear the reply. espeak-ng speaks each
sentence as soon as it is complete. The next sentence is requested when the
sound ends.

Usage: tandem chat [FLAG...]
       printf 'Hello\nTell me more.\n' | tandem chat [FLAG...] --wav talk.wav

Enter, or a new line, interrupts the reply that is being spoken. The history
then contains only what you heard of it. Cursor keys edit the line, Up and Down
recall earlier lines, and lines that are pasted together are one turn. Ctrl-D
ends the chat after the running reply, Ctrl-C at once. Lines from a pipe or a
file wait for the end of the previous reply, unless --barge-in is given.

--tts-command runs a program with /bin/sh for each sentence. The program reads
the text from stdin, and either writes a WAV file to stdout, or plays the sound
itself and exits when it ends. --player is a program that reads a WAV file from
stdin and exits when the file has been played; the default is aplay. If no sound
can be played, each sentence still takes its normal time, and --wav FILE records
what would have been heard.

--tools is JSON or a JSON file: OpenAI's list of tools, where each function has
a "command", a list of a program and its arguments. The program reads the
arguments of the call as JSON from stdin, and writes the result to stdout within
"timeout_ms" [10000]. The functions that a reply calls run at once, while it is
spoken, and the reply to their results follows. An interrupt kills them.

Each reply is followed by the time from the end of your line (and --vad-stop
before it) to the first sound, and by the parts of that time.

Times are written as 250ms, 2s, 1m, 0.5h or plain seconds. The flags of the
groups server to generation can also be set by environment variables
(--reuse-guard by TANDEM_REUSE_GUARD) or in the file of --config
("reuse_guard"). Flags override variables, and variables override the file.

Exit status: 0 all replies complete or interrupted, 1 some failed, or the WAV
file, conversation or recording could not be written, 2 wrong use, or a file, a
program or stdin that cannot be used, 130 stopped with Ctrl-C, 143 with SIGTERM,
129 with SIGHUP, 141 if the reader of its output has gone.)";

// Indexed by the enumerations `tts` and `playing`.
constexpr std::array<std::string_view, 3> tts_names{"auto", "espeak-ng", "none"};
constexpr std::array<std::string_view, 3> play_names{"auto", "yes", "no"};

config chat_defaults() {
    auto c = default_config();
    c.limits.continue_timeout = default_continue_timeout;
    return c;
}

}  // namespace

chat_flags::chat_flags(CLI::App& tandem)
    : flags_(tandem, name, chat_text, "chat with the model and hear its replies") {
    add_conversation_flags();
    add_voice_flags();
    add_output_flags();
    config_.add_to(
        flags_.app(),
        [](const field_info& f) {
            return !std::string_view(f.name).ends_with("tools") &&
                   !std::string_view(f.name).starts_with("tool_") &&
                   f.name != std::string_view("parallel_tool_calls");
        },
        chat_defaults());
}

void chat_flags::add_conversation_flags() {
    auto& o = options_;
    flags_.begin_group("conversation");
    flags_.add_text("--system", system_, "TEXT", "the system prompt");
    flags_.add_switch("--barge-in", o.barge_in,
                      "a new line interrupts the reply even if stdin is not a terminal");
    flags_.add_time("--barge-in-after", o.barge_in_after,
                    "interrupt each reply this long after its first sound (for scripts)");
    flags_.add_switch("--eager", o.eager,
                      "evaluate a line while it is typed, and draft its reply after a pause");
    flags_.add_text("--interrupted-mark", o.service.conversation.interrupted_mark, "TEXT",
                    "text appended to an interrupted reply in the history");
    flags_.add_text("--load", o.load, "FILE", "continue a saved conversation");
    flags_.add_text("--save", o.save, "FILE", "save the conversation to this file at the end");
    add_record_flags(flags_, o.record);
    flags_.add_text("--tools", tools_, "JSON|FILE",
                    "functions that the model may call, with the commands that run them");
    add_wait_flag(flags_, o.wait);
}

void chat_flags::add_voice_flags() {
    auto& o = options_;
    flags_.begin_group("voice");
    const auto read_tts = [&o](const std::string& text, std::vector<std::string>& faults) {
        const auto found = std::ranges::find(tts_names, text);
        o.synthesizer = static_cast<chat_options::tts>(found - tts_names.begin());
        if (found == tts_names.end())
            faults.push_back(fmt::format(
                "--tts is {}; it must be espeak-ng or none; use --tts-command for other programs",
                text));
    };
    flags_.add("--tts", "NAME",
               "synthesizer: espeak-ng, or none for text only [espeak-ng if installed]", read_tts);
    flags_.add_text("--tts-command", o.tts_command, "CMD",
                    "shell command that speaks a text, instead of --tts");
    flags_.add_text("--voice", o.voice_name, "NAME",
                    "voice of espeak-ng, such as en-us [by --language, else its default]");
    flags_.add_number("--speed", o.words_per_minute, slowest_voice, fastest_voice, "N",
                      "speaking rate in words per minute, with or without sound", "160");
    flags_.add_time("--sentence-pause", o.sentence_pause, "silence between sentences", "250ms");
    flags_.add_choice("--play", o.play, play_names, "WHEN",
                      "play the sound: yes, no, or auto for yes if possible [auto]");
    flags_.add_text("--player", o.player, "CMD", "shell command that plays a sound [aplay -q -]");
    flags_.add_text("--wav", o.wav, "FILE", "record the audio to this file, including silence");
    flags_.add_time("--vad-stop", o.vad_stop,
                    "simulated delay of a voice detector after your last word, counted as silence",
                    "0");
}

void chat_flags::add_output_flags() {
    flags_.begin_group("output");
    flags_.add_switch("--json", options_.json, "print one JSON object per line");
    flags_.add_switch("--quiet", options_.quiet, "print only the dialogue and errors");
    add_color_flag(flags_, options_.color);
    add_log_level_flag(flags_, options_.log_level, "off");
    flags_.add_help_flag();
}

chat_options chat_flags::read(const environment& variables, std::vector<std::string>& faults) {
    auto& o = options_;
    faults = describe_unparsed_arguments(flags_.app());
    flags_.read(faults);
    check_voice(faults);
    read_conversation(faults);
    auto loaded = config_.load(variables, faults);
    o.service.client = std::move(loaded.value);
    if (!loaded.has_continue_timeout)
        o.service.client.limits.continue_timeout = default_continue_timeout;
    o.service.servers = std::move(loaded.urls);
    read_tools(faults);
    o.voice_is_language = o.voice_name.empty();
    if (o.voice_is_language) o.voice_name = o.service.client.chunking.language;
    check_service(o.service, faults);
    return std::move(o);
}

// Reports conflicting voice flags.
void chat_flags::check_voice(std::vector<std::string>& faults) {
    auto& o = options_;
    const auto& tts = flags_.text("--tts");
    const auto& play = flags_.text("--play");
    const bool has_command = !o.tts_command.empty();
    if (has_command && !tts.empty())
        faults.push_back("--tts cannot be combined with --tts-command");
    if (!o.voice_name.empty() && (has_command || tts == "none"))
        faults.push_back("--voice applies only to espeak-ng, which is not used");
    if (!o.player.empty() && play == "no")
        faults.push_back("--player cannot be combined with --play no");
    if (tts == "none" && (!o.wav.empty() || !o.player.empty() || play == "yes"))
        faults.push_back("--tts none cannot be combined with --wav, --player or --play yes");
    if (has_command) o.synthesizer = chat_options::tts::command;
    if (!o.player.empty() && play.empty()) o.play = chat_options::playing::yes;
}

void chat_flags::read_conversation(std::vector<std::string>& faults) {
    auto& o = options_;
    auto& talk = o.service.conversation;
    check_utf8("--system", system_, faults);
    if (!system_.empty()) talk.messages.push_back({.role = "system", .content = system_});
    if (!o.load.empty() && (!system_.empty() || !talk.interrupted_mark.empty()))
        faults.push_back("--load cannot be combined with --system or --interrupted-mark");
    check_output_file("--save", o.save, faults);
    check_output_file("--wav", o.wav, faults);
    if (!o.save.empty() && o.save == o.wav)
        faults.push_back(fmt::format("--save and --wav name the same file, {}", o.save));
    check_record_flags(flags_, o.record, {{"--load", o.load}, {"--save", o.save}, {"--wav", o.wav}},
                       faults);
}

void chat_flags::read_tools(std::vector<std::string>& faults) {
    if (tools_.empty()) return;
    const auto given = read_tools_argument(tools_);
    if (!given.fault.empty()) return faults.push_back("--tools " + given.fault);
    auto parsed = parse_function_file(given.text);
    for (const auto& fault : parsed.faults)
        faults.push_back(fmt::format("{}: {}", given.origin, fault));
    options_.functions = std::move(parsed.functions);
    options_.service.client.generation.tools = std::move(parsed.tools);
}

}  // namespace tandem::command

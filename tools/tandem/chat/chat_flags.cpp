#include "chat/chat_flags.hpp"

#include "flags/flag_parsing.hpp"
#include "flags/run_flags.hpp"
#include "flags/service_flags.hpp"
#include "os/input_file.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace tandem::command {
namespace {

// The range that espeak-ng accepts.
constexpr int slowest_voice = 80;
constexpr int fastest_voice = 450;

// A chunk of 96 tokens takes half a minute to speak, in addition to the time for synthesis.
constexpr auto usual_continue_timeout = std::chrono::minutes(5);

constexpr std::size_t max_tools_bytes = std::size_t{1} << 20;

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

--tools names a JSON file: OpenAI's list of tools, where each function also has
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

// Indexed by the enumerations.
constexpr std::array<std::string_view, 3> tts_names{"auto", "espeak-ng", "none"};
constexpr std::array<std::string_view, 3> play_names{"auto", "yes", "no"};

config chat_defaults() {
    auto c = default_config();
    c.limits.continue_timeout = usual_continue_timeout;
    return c;
}

}  // namespace

chat_flags::chat_flags(CLI::App& tandem) : app_(*tandem.add_subcommand(name, chat_text)) {
    app_.footer("chat with the model and hear its replies");
    app_.set_help_flag();
    app_.allow_extras();
    add_conversation_flags();
    add_voice_flags();
    add_output_flags();
    app_.set_help_flag("-h,--help", "show this help")->group("output");
    config_.add_to(
        app_,
        [](const field_info& f) {
            return !std::string_view(f.name).ends_with("tools") &&
                   !std::string_view(f.name).starts_with("tool_") &&
                   f.name != std::string_view("parallel_tool_calls");
        },
        chat_defaults());
}

void chat_flags::add_flag(const char* flag, std::string& target, const char* value,
                          const char* help, const char* group) {
    add_value_flag(app_, flag, target, value, help, group);
}

void chat_flags::add_conversation_flags() {
    auto& t = texts_;
    constexpr auto group = "conversation";
    add_flag("--system", t.system, "TEXT", "the system prompt", group);
    app_.add_flag("--barge-in", t.barge_in,
                  "a new line interrupts the reply even if stdin is not a terminal")
        ->group(group);
    add_flag("--barge-in-after", t.barge_in_after, "TIME",
             "interrupt each reply this long after its first sound (for scripts)", group);
    app_.add_flag("--eager", t.eager,
                  "evaluate a line while it is typed, and draft its reply after a pause")
        ->group(group);
    add_flag("--interrupted-mark", t.interrupted_mark, "TEXT",
             "text appended to an interrupted reply in the history", group);
    add_flag("--load", t.load, "FILE", "continue a saved conversation", group);
    add_flag("--save", t.save, "FILE", "save the conversation to this file at the end", group);
    record_.add_to(app_, group);
    add_flag("--tools", t.tools, "FILE",
             "functions that the model may call, with the commands that run them", group);
    add_flag("--wait", t.wait, "TIME",
             "how long to wait for servers to start and load their model [0]", group);
}

void chat_flags::add_voice_flags() {
    auto& t = texts_;
    constexpr auto group = "voice";
    add_flag("--tts", t.tts, "NAME",
             "synthesiser: espeak-ng, or none for text only [espeak-ng if installed]", group);
    add_flag("--tts-command", t.tts_command, "CMD",
             "shell command that speaks a text, instead of --tts", group);
    add_flag("--voice", t.voice, "NAME",
             "voice of espeak-ng, such as en-us [by --language, else its default]", group);
    add_flag("--speed", t.speed, "N",
             "speaking rate in words per minute, with or without sound [160]", group);
    add_flag("--sentence-pause", t.sentence_pause, "TIME", "silence between sentences [250ms]",
             group);
    add_flag("--play", t.play, "WHEN",
             "play the sound: yes, no, or auto for yes if possible [auto]", group);
    add_flag("--player", t.player, "CMD", "shell command that plays a sound [aplay -q -]", group);
    add_flag("--wav", t.wav, "FILE", "record the audio to this file, including silence", group);
    add_flag("--vad-stop", t.vad_stop, "TIME",
             "simulated delay of a voice detector after your last word, counted as silence [0]",
             group);
}

void chat_flags::add_output_flags() {
    auto& t = texts_;
    app_.add_flag("--json", t.json, "print one JSON object per line")->group("output");
    app_.add_flag("--quiet", t.quiet, "print only the dialogue and errors")->group("output");
    add_flag("--color", t.color, "WHEN", "use color: auto, always or never [auto]", "output");
    add_flag("--log-level", t.log_level, "LEVEL",
             "log level on stderr: debug, info, warning, error or off [off]", "output");
}

chat_options chat_flags::read(const environment& variables, std::vector<std::string>& faults) {
    faults = argument_faults(app_);
    chat_options o;
    read_voice(o, faults);
    read_conversation(o, faults);
    read_color(texts_.color, o.color, faults);
    read_log_level(texts_.log_level, o.log_level, faults);
    o.json = texts_.json;
    o.quiet = texts_.quiet;
    auto loaded = config_.load(variables);
    std::ranges::move(loaded.faults, std::back_inserter(faults));
    o.service.client = std::move(loaded.value);
    if (!loaded.has_continue_timeout)
        o.service.client.limits.continue_timeout = usual_continue_timeout;
    o.service.servers = std::move(loaded.urls);
    read_tools(o, faults);
    o.voice_is_language = o.voice_name.empty();
    if (o.voice_is_language) o.voice_name = o.service.client.chunking.language;
    std::ranges::move(service_faults(o.service), std::back_inserter(faults));
    return o;
}

// Reports conflicting voice flags.
std::vector<std::string> chat_flags::voice_faults() const {
    const auto& t = texts_;
    std::vector<std::string> faults;
    const bool has_command = !t.tts_command.empty();
    if (has_command && !t.tts.empty())
        faults.push_back("--tts cannot be combined with --tts-command");
    if (!t.voice.empty() && (has_command || t.tts == "none"))
        faults.push_back("--voice applies only to espeak-ng, which is not used");
    if (!t.player.empty() && t.play == "no")
        faults.push_back("--player cannot be combined with --play no");
    if (t.tts == "none" && (!t.wav.empty() || !t.player.empty() || t.play == "yes"))
        faults.push_back("--tts none cannot be combined with --wav, --player or --play yes");
    return faults;
}

void chat_flags::read_voice(chat_options& o, std::vector<std::string>& faults) const {
    const auto& t = texts_;
    std::ranges::move(voice_faults(), std::back_inserter(faults));
    if (!t.tts.empty() && !choose(tts_names, t.tts, o.synthesiser))
        faults.push_back(fmt::format(
            "--tts is {}; it must be espeak-ng or none; use --tts-command for other programs",
            t.tts));
    if (!t.tts_command.empty()) o.synthesiser = chat_options::tts::command;
    if (!t.player.empty()) o.play = chat_options::playing::yes;
    if (!t.play.empty() && !choose(play_names, t.play, o.play))
        faults.push_back(refusal_of("--play", t.play, join_with_or(play_names)));
    read_number("--speed", t.speed, slowest_voice, fastest_voice, o.words_per_minute, faults);
    read_time("--sentence-pause", t.sentence_pause, o.sentence_pause, faults);
    read_time("--vad-stop", t.vad_stop, o.vad_stop, faults);
    o.tts_command = t.tts_command;
    o.voice_name = t.voice;
    o.player = t.player;
    o.wav = t.wav;
}

void chat_flags::read_conversation(chat_options& o, std::vector<std::string>& faults) const {
    const auto& t = texts_;
    auto& talk = o.service.conversation;
    check_utf8("--system", t.system, faults);
    if (!t.system.empty()) talk.messages.push_back({.role = "system", .content = t.system});
    if (!t.load.empty() && (!t.system.empty() || !t.interrupted_mark.empty()))
        faults.push_back("--load cannot be combined with --system or --interrupted-mark");
    talk.interrupted_mark = t.interrupted_mark;
    read_wait(t.wait, o.wait, faults);
    if (!t.barge_in_after.empty())
        read_time("--barge-in-after", t.barge_in_after, o.barge_in_after.emplace(), faults);
    o.barge_in = t.barge_in;
    o.eager = t.eager;
    o.load = t.load;
    o.save = t.save;
    o.record = record_.read(faults);
    std::ranges::move(
        shared_file_faults(o.record, {{"--load", t.load}, {"--save", t.save}, {"--wav", t.wav}}),
        std::back_inserter(faults));
}

void chat_flags::read_tools(chat_options& o, std::vector<std::string>& faults) const {
    if (texts_.tools.empty()) return;
    const auto file = read_file(texts_.tools, max_tools_bytes);
    if (!file.fault.empty()) return faults.push_back("--tools " + file.fault);
    auto parsed = parse_function_file(file.text);
    for (const auto& fault : parsed.faults)
        faults.push_back(fmt::format("--tools {}: {}", input_name(texts_.tools), fault));
    o.functions = std::move(parsed.functions);
    o.service.client.generation.tools = std::move(parsed.tools);
}

}  // namespace tandem::command

#include "chat/chat_flags.hpp"

#include "flags/flag_faults.hpp"
#include "flags/run_flags.hpp"
#include "flags/service_flags.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace tandem::command {
namespace {

// As espeak-ng takes them.
constexpr int slowest_voice = 80;
constexpr int fastest_voice = 450;

// A chunk of 96 tokens takes half a minute to speak, and its sound has to be made.
constexpr auto usual_continue_timeout = std::chrono::minutes(5);

constexpr const char* chat_text = R"(Example:
  tandem chat --url http://127.0.0.1:8080 --system "You are a friendly voice."

A voice bot in a terminal: type a line, hear the reply. Each sentence is spoken
by espeak-ng as soon as it is there, and the next one is asked for when its
sound ends.

Usage: tandem chat [FLAG...]
       printf 'Hello\nTell me more.\n' | tandem chat [FLAG...] --wav talk.wav

Enter, or a new line, interrupts the reply that is spoken, and the model is told
later what you heard of it, and no more. Cursor keys edit the line, Up and Down
bring back earlier ones, and lines that are pasted together are one turn. Ctrl-D
ends behind the running reply, Ctrl-C at once. Lines of a pipe or a file wait
for the reply before them, unless --barge-in is given.

--tts-command runs a program for each sentence, by /bin/sh: it gets the text on
stdin, and writes a WAV file to stdout; or it writes nothing, and plays the
sound until it ends. --player is a program that gets a WAV file on stdin and
ends when it was played; aplay is tried if there is none. Where no sound can be
played each one takes as long as it would, so that --wav FILE has what would
have been heard.

Behind each reply stands how long the voice took, from the end of your line (and
--vad-stop before it) to the first sound, in parts that add up.

Times are written 250ms, 2s, 1m, 0.5h or as plain seconds. Each flag of the
groups server to generation may also be set by a variable (--reuse-guard by
TANDEM_REUSE_GUARD) or in the file of --config ("reuse_guard"). Flags win over
variables, and variables over the file.

Exit status: 0 all replies complete or interrupted, 1 some failed, or the WAV
file, conversation or recording could not be written, 2 wrong use, or a file, a
program or stdin that cannot be used, 130 stopped with Ctrl-C, 143 with SIGTERM,
129 with SIGHUP, 141 when nobody reads its output any more.)";

// In the order of their enumerations.
constexpr std::array<std::string_view, 3> tts_names{"auto", "espeak-ng", "none"};
constexpr std::array<std::string_view, 3> play_names{"auto", "yes", "no"};

config chat_defaults() {
    auto c = usual_config();
    c.continue_timeout = usual_continue_timeout;
    return c;
}

}  // namespace

chat_flags::chat_flags(CLI::App& tandem) : app_(*tandem.add_subcommand(name, chat_text)) {
    app_.footer("talk with the model, and hear it");
    app_.set_help_flag();
    app_.allow_extras();
    add_conversation_flags();
    add_voice_flags();
    add_output_flags();
    app_.set_help_flag("-h,--help", "this text")->group("output");
    config_.add_to(
        app_, [](const auto&) { return true; }, chat_defaults());
}

void chat_flags::add_flag(const char* flag, std::string& target, const char* value,
                          const char* help, const char* group) {
    add_value_flag(app_, flag, target, value, help, group);
}

void chat_flags::add_conversation_flags() {
    auto& t = texts_;
    constexpr auto group = "conversation";
    add_flag("--system", t.system, "TEXT", "the system prompt", group);
    app_.add_flag("--barge-in", t.barge_in, "a new line interrupts also where stdin is no terminal")
        ->group(group);
    add_flag("--barge-in-after", t.barge_in_after, "TIME",
             "interrupt each reply so long after its first sound, for scripts", group);
    add_flag("--interrupted-mark", t.interrupted_mark, "TEXT",
             "put behind what history keeps of an interrupted reply", group);
    add_flag("--load", t.load, "FILE", "go on with a conversation that was saved", group);
    add_flag("--save", t.save, "FILE", "write the conversation there at the end", group);
    record_.add_to(app_, group);
    add_flag("--wait", t.wait, "TIME",
             "how long to wait for servers that start or load their model [0]", group);
}

void chat_flags::add_voice_flags() {
    auto& t = texts_;
    constexpr auto group = "voice";
    add_flag("--tts", t.tts, "NAME",
             "espeak-ng, or none for text alone [espeak-ng where it is installed]", group);
    add_flag("--tts-command", t.tts_command, "CMD",
             "command of the shell that speaks a text, in place of --tts", group);
    add_flag("--voice", t.voice, "NAME",
             "voice of espeak-ng, as en-us [that of --language, else its own]", group);
    add_flag("--speed", t.speed, "N",
             "words a minute, for espeak-ng and where nothing is heard [160]", group);
    add_flag("--sentence-pause", t.sentence_pause, "TIME", "silence between sentences [250ms]",
             group);
    add_flag("--play", t.play, "WHEN",
             "play the sound: yes, no, or auto where that is possible [auto]", group);
    add_flag("--player", t.player, "CMD", "command of the shell that plays a sound [aplay -q -]",
             group);
    add_flag("--wav", t.wav, "FILE", "keep all that was heard there, silence included", group);
    add_flag("--vad-stop", t.vad_stop, "TIME",
             "what a voice detector would wait behind your last word, counted as part of the "
             "silence [0]",
             group);
}

void chat_flags::add_output_flags() {
    auto& t = texts_;
    app_.add_flag("--json", t.json, "one JSON object a line, for programs")->group("output");
    app_.add_flag("--quiet", t.quiet, "only what is said, and faults")->group("output");
    add_flag("--color", t.color, "WHEN", "auto, always or never [auto]", "output");
    add_flag("--log-level", t.log_level, "LEVEL",
             "log lines on stderr: debug, info, warning, error or off [off]", "output");
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
    o.service.server = std::move(loaded.value);
    if (!loaded.has_continue_timeout) o.service.server.continue_timeout = usual_continue_timeout;
    o.service.servers = std::move(loaded.urls);
    o.voice_is_language = o.voice_name.empty();
    if (o.voice_is_language) o.voice_name = o.service.server.language;
    std::ranges::move(service_faults(o.service), std::back_inserter(faults));
    return o;
}

// What is wrong with flags of the voice that do not go together.
std::vector<std::string> chat_flags::voice_faults() const {
    const auto& t = texts_;
    std::vector<std::string> faults;
    const bool has_command = !t.tts_command.empty();
    if (has_command && !t.tts.empty())
        faults.push_back("--tts and --tts-command are given; one of them is possible");
    if (!t.voice.empty() && (has_command || t.tts == "none"))
        faults.push_back("--voice is for espeak-ng, which is not used here");
    if (!t.player.empty() && t.play == "no")
        faults.push_back("--player is given, and --play is no; leave one of them out");
    if (t.tts == "none" && (!t.wav.empty() || !t.player.empty() || t.play == "yes"))
        faults.push_back("--tts is none, which makes no sound for --wav, --play or --player");
    return faults;
}

void chat_flags::read_voice(chat_options& o, std::vector<std::string>& faults) const {
    const auto& t = texts_;
    std::ranges::move(voice_faults(), std::back_inserter(faults));
    if (!t.tts.empty() && !choose(tts_names, t.tts, o.synthesiser))
        faults.push_back(fmt::format(
            "--tts is {}; it must be espeak-ng or none; --tts-command takes other programs",
            t.tts));
    if (!t.tts_command.empty()) o.synthesiser = chat_options::tts::command;
    if (!t.player.empty()) o.play = chat_options::playing::yes;
    if (!t.play.empty() && !choose(play_names, t.play, o.play))
        faults.push_back(refusal_of("--play", t.play, joined_by_or(play_names)));
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
        faults.push_back(
            "--load is given, and --system or --interrupted-mark; a saved conversation has its "
            "own");
    talk.interrupted_mark = t.interrupted_mark;
    read_wait(t.wait, o.wait, faults);
    if (!t.barge_in_after.empty())
        read_time("--barge-in-after", t.barge_in_after, o.barge_in_after.emplace(), faults);
    o.barge_in = t.barge_in;
    o.load = t.load;
    o.save = t.save;
    o.record = record_.read(faults);
    std::ranges::move(
        shared_file_faults(o.record, {{"--load", t.load}, {"--save", t.save}, {"--wav", t.wav}}),
        std::back_inserter(faults));
}

}  // namespace tandem::command

#include "replay_fixture.hpp"
#include "wav_segments.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

// The sound of `tandem chat`: the tests examine the waveform of its WAV file.
namespace tandem::testing {
namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::Not;
using ::testing::SizeIs;

constexpr double pause_ms = 250;
constexpr const char* recitation =
    "In the evening the whole town walks down to the old harbour and waits for the boats with "
    "brown sails, and once more they come home before the dark.";
constexpr double exactly = 20;  // in ms

class chat : public replay_test {
 protected:
    chat() {
        mock::options o;
        o.replies = {{said("story"), story},
                     {said("count"), "One. Two. Three."},
                     {said("recite"), recitation},
                     {said("code"), "```c\nint i;\n```"}};
        start_server(std::move(o));
    }
    ~chat() override {
        for (const auto& f : {wav, fifo, file}) std::remove(f.c_str());
        std::filesystem::remove_all(folder);
    }
    static std::string said(const std::string& text) {
        return text + "<|im_end|>\n<|im_start|>assistant\n";
    }
    static std::string path(const std::string& name) {
        return ::testing::TempDir() + "chat_" + std::to_string(::getpid()) + name;
    }
    std::vector<std::string> chat_args(const std::vector<std::string>& more) const {
        std::vector<std::string> all{"chat",  "--reuse-guard", "0", "--first-chunk-min-tokens", "0",
                                     "--url", server_->url()};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    // Adds a synthesizer that needs `synthesis_ms` for each sound, and a WAV file for the sound.
    std::vector<std::string> heard(std::vector<std::string> more, int synthesis_ms = 0) const {
        const auto voice = std::string(TANDEM_FAKE_VOICE) + " " + std::to_string(synthesis_ms);
        more.insert(more.end(), {"--play", "no", "--wav", wav, "--tts-command", voice});
        return more;
    }
    std::vector<std::string> fifo_args(std::vector<std::string> more) const {
        EXPECT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
        more.insert(more.end(), {"--json", "--barge-in"});
        auto all = chat_args(more);
        all.insert(all.begin(), {"-c", "f=$0; exec \"$@\" < \"$f\"", fifo, program});
        return all;
    }
    finished_run talk(const std::string& lines, const std::vector<std::string>& more) const {
        child_process child(program, {.args = chat_args(more), .input = lines});
        auto end = child.wait();
        return {end.status, std::move(end.out), std::move(end.err)};
    }
    std::vector<sound_segment> look() const { return split_wav_at_silence(wav, 10); }
    // The lengths of all periods of speech or of silence, starting with the first speech.
    std::vector<double> lengths(bool of_speech) const {
        std::vector<double> found;
        bool begun = false;
        for (const auto& s : look()) {
            begun = begun || s.is_speech;
            if (begun && s.is_speech == of_speech) found.push_back(s.ms);
        }
        return found;
    }
    std::string last_prompt() const {
        const auto requests = server_->observe().of_path("/completion");
        return requests.empty() ? std::string() : requests.back().prompt;
    }

    const std::string wav = path(".wav");
    const std::string fifo = path(".fifo");
    const std::string file = path(".json");
    const std::string folder = path(".bin");
};

// The sentences have 6, 3, 4 and 2 words of 200 ms each.
const auto story_heard = ElementsAre(DoubleNear(1200, exactly), DoubleNear(600, exactly),
                                     DoubleNear(800, exactly), DoubleNear(400, exactly));

// Each silence has the length `silence_ms`: at least the pause, and more if the machine is slow.
void expect_pauses(const std::vector<double>& silences, const std::vector<json>& chunks) {
    ASSERT_EQ(chunks.size(), silences.size() + 1);
    for (std::size_t i = 0; i < silences.size(); ++i) {
        EXPECT_GE(silences[i], pause_ms - exactly);
        EXPECT_NEAR(silences[i], chunks[i + 1]["silence_ms"].get<double>(), exactly);
    }
}

class chat_paced : public chat, public ::testing::WithParamInterface<const char*> {};

TEST_P(chat_paced, is_heard_sentence_by_sentence_with_pauses_between_them) {
    const auto r = talk("story\n", heard({"--json", "--pacing", GetParam()}));
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.event("end")["text"], story);
    EXPECT_THAT(lengths(true), story_heard);
    expect_pauses(lengths(false), r.events("chunk"));
}

INSTANTIATE_TEST_SUITE_P(pacings, chat_paced, ::testing::Values("warm", "ahead"));

TEST_F(chat, is_heard_without_gaps_if_the_synthesizer_is_slow_and_works_ahead) {
    // If synthesis waited for the previous sound, each silence would last at least `slow_ms`.
    constexpr int slow_ms = 400;
    const auto r = talk("story\n", heard({"--json", "--pacing", "ahead"}, slow_ms));
    EXPECT_EQ(r.status, 0) << r.err;
    expect_pauses(lengths(false), r.events("chunk"));
    EXPECT_THAT(lengths(false), Each(Lt(slow_ms)));
}

TEST_F(chat, has_the_silence_of_its_waits_at_their_length) {
    const auto r = talk("story\n", heard({"--json", "--pacing", "warm"}, 300));
    const auto silences = lengths(false);
    const auto chunks = r.events("chunk");
    ASSERT_EQ(chunks.size(), silences.size() + 1);
    for (std::size_t i = 0; i < silences.size(); ++i) {
        EXPECT_GE(silences[i], 300) << "synthesis starts after the previous sentence was heard";
        EXPECT_NEAR(silences[i], chunks[i + 1]["silence_ms"].get<double>(), exactly);
    }
}

TEST_F(chat, makes_the_pause_that_it_is_told_to) {
    talk("story\n", heard({"--pacing", "ahead", "--sentence-pause", "500ms"}));
    EXPECT_THAT(lengths(false), AllOf(SizeIs(3), Each(Ge(500 - exactly))));
}

TEST_F(chat, ends_the_sound_if_it_is_interrupted_and_history_too) {
    const auto r = talk("story\ncount\n", heard({"--json", "--barge-in-after", "600ms"}));
    EXPECT_EQ(r.status, 0) << r.err;
    const auto ends = r.events("end");
    ASSERT_EQ(ends.size(), 2u);
    EXPECT_EQ(ends[0]["finish_reason"], "interrupted");
    EXPECT_TRUE(ends[0]["interrupted"]);
    const auto speech = lengths(true);
    ASSERT_FALSE(speech.empty());
    // On a slow machine, the interrupt comes late.
    EXPECT_THAT(speech[0], AllOf(Ge(600 - exactly), Lt(1000)));
    // The user heard half of "A fox went out at night."
    EXPECT_THAT(ends[0]["history"].get<std::string>(),
                AllOf(HasSubstr("A fox"), Not(HasSubstr("night"))));
    EXPECT_THAT(last_prompt(), AllOf(HasSubstr("assistant\nA fox"), Not(HasSubstr("night"))));
}

TEST_F(chat, keeps_a_reply_that_was_heard_whole) {
    const auto r = talk("count\ncount\n", heard({"--json"}));
    EXPECT_EQ(r.events("end")[0]["history"], "One. Two. Three.");
    EXPECT_THAT(last_prompt(), HasSubstr("One. Two. Three."));
}

json next_end(child_process& child) {
    for (;;)
        if (auto event = json::parse(child.read_line()); event["event"] == "end") return event;
}

TEST_F(chat, is_interrupted_by_the_next_line) {
    child_process child("/bin/sh", {.args = fifo_args(heard({}))});
    std::ofstream lines(fifo);
    lines << "story" << std::endl;
    EXPECT_EQ(json::parse(child.read_line())["event"], "chunk");
    lines << "count" << std::endl;
    EXPECT_EQ(next_end(child)["finish_reason"], "interrupted");
    EXPECT_EQ(json::parse(child.read_line())["text"], "One.");
    lines << std::endl;
    EXPECT_EQ(next_end(child)["interrupted"], true) << "by Enter alone";
    lines.close();
    EXPECT_EQ(child.wait().status, 0);
}

TEST_F(chat, ends_cleanly_with_its_file_at_ctrl_c) {
    child_process child(program, {.args = chat_args(heard({"--json"})), .input = "story\ncount\n"});
    EXPECT_EQ(json::parse(child.read_line())["seq"], 0);
    EXPECT_EQ(json::parse(child.read_line())["seq"], 1);
    child.send_signal(SIGINT);
    const auto end = child.wait();
    EXPECT_EQ(end.status, 130);
    EXPECT_THAT(end.out, AllOf(HasSubstr("interrupted"), Not(HasSubstr("\"turn\":1"))));
    const auto speech = lengths(true);
    ASSERT_FALSE(speech.empty()) << "its header is wrong";
    EXPECT_NEAR(speech[0], 1200, exactly);
}

TEST_F(chat, is_saved_if_the_terminal_is_closed) {
    child_process child(
        program, {.args = chat_args(heard({"--json", "--save", file})), .input = "story\ncount\n"});
    EXPECT_EQ(json::parse(child.read_line())["seq"], 0);
    EXPECT_EQ(json::parse(child.read_line())["seq"], 1);
    child.send_signal(SIGHUP);
    child.close_stdout();
    EXPECT_EQ(child.wait().status, 129);
    std::ifstream in(file);
    EXPECT_TRUE(json::accept(in));
    EXPECT_FALSE(lengths(true).empty()) << "the header of its sound is wrong";
}

TEST_F(chat, tells_voice_to_voice_in_parts_that_add_up) {
    const auto r = talk("count\n", heard({"--json", "--vad-stop", "200ms"}, 100));
    const auto times = r.event("end")["voice_to_voice"];
    double sum = 0;
    for (const auto& part : times["parts_ms"]) sum += part.get<double>();
    EXPECT_NEAR(sum, times["total_ms"].get<double>(), 0.01);
    EXPECT_EQ(times["parts_ms"]["detector"], 200);
    EXPECT_GE(times["parts_ms"]["synthesis"], 100);
}

TEST_F(chat, shows_people_how_long_the_voice_took) {
    EXPECT_THAT(
        talk("count\n", heard({"--vad-stop", "200ms"})).out,
        AllOf(HasSubstr("One. Two. Three.\n  voice to voice "), HasSubstr("detector 200 ms")));
    EXPECT_EQ(talk("count\n", heard({"--quiet"})).out, "One. Two. Three.\n");
}

TEST_F(chat, marks_what_was_interrupted) {
    const auto r = talk("story\n", heard({"--barge-in-after", "300ms"}));
    EXPECT_THAT(r.out, HasSubstr("A fox went out at night. [interrupted, heard up to \"A fox"));
}

TEST_F(chat, reports_once_what_is_too_soon_for_a_program_that_plays) {
    // Speaking the words takes much longer than the program runs, even on a slow machine.
    const auto r = talk("recite\n", {"--speed", "450", "--tts-command", "cat > /dev/null"});
    EXPECT_EQ(r.status, 1);
    const auto told = r.err.find("it wrote no sound, and ended after ");
    ASSERT_NE(told, r.err.npos) << r.err;
    EXPECT_EQ(r.err.find("it wrote no sound", told + 1), r.err.npos);
}

TEST_F(chat, leaves_a_file_alone_that_is_no_wav_file) {
    std::ofstream(wav) << "a letter";
    const auto r = talk("count\n", heard({}));
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, HasSubstr("--wav " + wav + ": exists and is not a WAV file"));
    std::ifstream in(wav);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "a letter");
}

TEST_F(chat, reports_that_chunks_wait_if_a_build_is_not_known_to_be_sound) {
    const auto err_with = [this](const std::string& guard) {
        return talk("", {"--tts", "none", "--reuse-guard", guard}).err;
    };
    EXPECT_EQ(err_with("auto"), "");
    mock::options untried;
    untried.build_info = "b8000";
    start_server(std::move(untried));
    EXPECT_THAT(err_with("auto"), HasSubstr("build b8000 is not known to be sound"));
    EXPECT_EQ(err_with("2s"), "");
}

TEST_F(chat, shows_the_text_if_the_synthesizer_fails) {
    const auto r = talk("count\n", {"--play", "no", "--speed", "450", "--tts-command",
                                    "echo no such voice >&2; exit 1"});
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(r.out, HasSubstr("One. Two. Three."));
    EXPECT_THAT(r.err,
                HasSubstr("\"echo no such voice >&2; exit 1\" failed; only the text is shown: no "
                          "such voice"));
}

TEST_F(chat, lets_a_program_play_what_it_speaks) {
    const auto r = talk("count\n", {"--json", "--tts-command", "cat > /dev/null; sleep 0.1"});
    EXPECT_EQ(r.status, 0) << r.err;
    const auto chunks = r.events("chunk");
    ASSERT_THAT(chunks, SizeIs(3));
    for (const auto& c : chunks) EXPECT_FALSE(c["has_sound"]);
    const auto apart = chunks[2]["at_ms"].get<double>() - chunks[1]["at_ms"].get<double>();
    EXPECT_GE(apart, 100 + pause_ms - 1);
}

TEST_F(chat, keeps_what_was_heard_of_a_first_sentence_that_a_program_plays) {
    const auto voice = "cat > /dev/null; sleep 2; echo count > " + fifo + "; exec sleep 60";
    child_process child("/bin/sh", {.args = fifo_args({"--speed", "80", "--tts-command", voice})});
    std::ofstream lines(fifo);
    lines << "story" << std::endl;
    EXPECT_THAT(next_end(child)["history"].get<std::string>(),
                AllOf(HasSubstr("A fox"), Not(HasSubstr("night"))));
}

TEST_F(chat, gives_each_sound_to_the_player) {
    const auto r =
        talk("count\n", {"--player", "cat >> " + file, "--tts-command", TANDEM_FAKE_VOICE});
    EXPECT_EQ(r.status, 0) << r.err;
    std::ifstream in(file, std::ios::binary);
    const std::string played(std::istreambuf_iterator<char>(in), {});
    // First comes a short sound that tests the player, and then three sentences of 200 ms.
    EXPECT_NEAR(static_cast<double>(played.size()), 4 * 44 + 882 + 3 * 16 * 210, 100);
}

TEST_F(chat, does_not_begin_with_a_player_that_cannot_play) {
    const auto r = talk("count\n", {"--tts-command", "cat", "--player", "exit 3"});
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, HasSubstr("\"exit 3\" cannot play sounds: it ended with status 3"));
    EXPECT_EQ(r.out, "");
}

TEST_F(chat, reports_that_nothing_is_heard_only_if_there_is_a_sound_to_play) {
    std::filesystem::create_directory(folder);
    std::ofstream(folder + "/aplay") << "#!/bin/sh\necho no device >&2\nexit 1\n";
    std::filesystem::permissions(folder + "/aplay", std::filesystem::perms::owner_all);
    const auto talk_by = [this](const std::string& command) {
        auto args = chat_args({"--tts-command", command});
        args.insert(args.begin(), {"PATH=" + folder + ":/usr/bin:/bin", program});
        return child_process("/usr/bin/env", {.args = args, .input = "count\n"}).wait();
    };
    const auto played = talk_by("cat > /dev/null; sleep 0.1");
    EXPECT_EQ(played.status, 0);
    EXPECT_EQ(played.err, "");
    const auto unheard = talk_by(TANDEM_FAKE_VOICE);
    EXPECT_EQ(unheard.status, 0);
    EXPECT_EQ(
        unheard.err,
        "tandem chat: \"aplay\" cannot play sounds: no device; their time passes in silence\n");
}

TEST_F(chat, reports_once_that_nothing_is_heard_if_aplay_is_not_installed) {
    // The folder contains the programs that the command starts, except aplay.
    std::filesystem::create_directory(folder);
    for (const auto* name : {"sh", "cat", "sleep"})
        std::filesystem::create_symlink(std::string("/bin/") + name, folder + "/" + name);
    const auto talk_by = [this](const std::string& command, std::vector<std::string> more) {
        auto args = chat_args(std::move(more));
        args.insert(args.begin(), {"PATH=" + folder, program});
        args.insert(args.end(), {"--tts-command", command});
        return child_process("/usr/bin/env", {.args = args, .input = "count\n"}).wait();
    };
    const auto unheard = talk_by(TANDEM_FAKE_VOICE, {});
    EXPECT_EQ(unheard.status, 0);
    EXPECT_EQ(unheard.err,
              "tandem chat: aplay is not installed; nothing is played; install it (apt-get install "
              "alsa-utils), or use --player CMD or --play no\n");
    EXPECT_EQ(talk_by(TANDEM_FAKE_VOICE, {"--play", "no"}).err, "");
    EXPECT_EQ(talk_by("cat > /dev/null; sleep 0.1", {}).err, "")
        << "the program plays its own sounds";
}

TEST_F(chat, reports_how_to_hear_something_if_there_is_no_synthesizer) {
    const auto talk_without = [this](const std::vector<std::string>& more) {
        auto args = chat_args(more);
        args.insert(args.begin(), {"PATH=/nowhere", program});
        return child_process("/usr/bin/env", {.args = args, .input = "count\n"}).wait();
    };
    const auto shown = talk_without({"--speed", "450"});
    EXPECT_EQ(shown.status, 0) << shown.err;
    EXPECT_THAT(shown.err, HasSubstr("apt-get install espeak-ng"));
    EXPECT_THAT(shown.out, HasSubstr("One. Two. Three."));
    EXPECT_EQ(talk_without({"--tts", "espeak-ng"}).status, 2);
    const auto unheard = talk_without({"--wav", wav});
    EXPECT_EQ(unheard.status, 2);
    EXPECT_THAT(unheard.err, HasSubstr("--wav, --play and --player require a synthesizer"));
}

TEST_F(chat, passes_over_what_cannot_be_spoken) {
    const auto r = talk("code\n", heard({"--json"}));
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.event("end")["history"], "```c\nint i;\n```");
    EXPECT_GT(r.event("chunk")["at_ms"], 0);
    EXPECT_TRUE(lengths(true).empty());
}

TEST_F(chat, continues_with_a_conversation_that_was_saved) {
    EXPECT_EQ(talk("count\n", heard({"--system", "Be brief.", "--save", file})).status, 0);
    const auto r = talk("story\n", heard({"--load", file}));
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(last_prompt(), AllOf(HasSubstr("Be brief."), HasSubstr("One. Two. Three."),
                                     HasSubstr("user\nstory")));
}

TEST_F(chat, does_not_begin_if_it_could_not_be_saved) {
    const auto r = talk("count\n", heard({"--save", "/no/such/folder/talk.json"}));
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, HasSubstr("--save /no/such/folder/talk.json: No such file or directory"));
    EXPECT_EQ(r.out, "");
}

TEST_F(chat, is_saved_over_a_saved_conversation_or_an_empty_file_and_over_no_other) {
    const auto saved_over = [&](const std::string& before) {
        std::ofstream(file) << before;
        return talk("", {"--tts", "none", "--save", file}).err;
    };
    EXPECT_EQ(saved_over(""), "");
    EXPECT_EQ(talk("", {"--tts", "none", "--save", file}).err, "");
    EXPECT_THAT(saved_over("a letter"),
                HasSubstr("--save " + file + ": exists and is not a saved conversation"));
    std::ifstream in(file);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "a letter");
}

TEST_F(chat, does_not_begin_with_a_file_that_it_cannot_use) {
    std::ofstream(file).flush();
    EXPECT_THAT(talk("", {"--tts", "none", "--load", file}).err,
                HasSubstr("--load " + file + ": is empty"));
    std::ofstream(file) << "no conversation";
    const auto loaded = talk("count\n", {"--tts", "none", "--load", file});
    EXPECT_EQ(loaded.status, 2);
    EXPECT_THAT(loaded.err, HasSubstr("--load " + file + ": cannot use the saved conversation: "));
    const auto missing = talk("count\n", {"--tts", "none", "--load", "/no/such/talk.json"});
    EXPECT_EQ(missing.status, 2);
    EXPECT_THAT(missing.err, HasSubstr("--load /no/such/talk.json: No such file"));
    const auto unwritable = talk("count\n", {"--play", "no", "--tts-command", TANDEM_FAKE_VOICE,
                                             "--wav", "/no/such/folder/talk.wav"});
    EXPECT_EQ(unwritable.status, 2);
    EXPECT_THAT(unwritable.err, HasSubstr("--wav /no/such/folder/talk.wav: No such file"));
    EXPECT_EQ(loaded.out + unwritable.out, "");
}

TEST_F(chat, is_refused_an_input_that_cannot_be_read) {
    auto args = chat_args({"--tts", "none"});
    args.insert(args.begin(), {"-c", "exec \"$0\" \"$@\" < /", program});
    const auto end = child_process("/bin/sh", {.args = args}).wait();
    EXPECT_EQ(end.status, 2);
    EXPECT_THAT(end.err, HasSubstr("stdin: Is a directory"));
}

TEST_F(chat, does_not_begin_without_stdin) {
    for (const auto* closed : {"<&-", "0>/dev/null"}) {
        auto args = chat_args({"--tts", "none"});
        args.insert(args.begin(), {"-c", std::string("exec \"$0\" \"$@\" ") + closed, program});
        const auto end = child_process("/bin/sh", {.args = args}).wait();
        EXPECT_EQ(end.status, 2);
        EXPECT_EQ(end.err,
                  "tandem chat: cannot read stdin: it is closed, or not open for reading\n");
    }
}

TEST_F(chat, reports_the_end_of_a_turn_that_cannot_be_said) {
    const auto r = talk("bad \xFF\ncount\n", {"--json", "--tts", "none", "--speed", "450"});
    EXPECT_EQ(r.status, 1);
    const auto ends = r.events("end");
    ASSERT_THAT(ends, SizeIs(2));
    EXPECT_EQ(ends[0]["turn"], 0);
    EXPECT_EQ(ends[0]["code"], "invalid_prompt");
    EXPECT_THAT(ends[0]["message"].get<std::string>(),
                HasSubstr("stdin:1: invalid UTF-8 at byte 5"));
    EXPECT_EQ(ends[1]["turn"], 1);
    EXPECT_EQ(ends[1]["history"], "One. Two. Three.");
}

TEST_F(chat, reports_that_there_is_no_server) {
    server_.reset();
    child_process child(program, {.args = {"chat", "--tts", "none", "--url", "http://127.0.0.1:1"},
                                  .input = "Hello\n"});
    const auto end = child.wait();
    EXPECT_EQ(end.status, 1);
    EXPECT_THAT(end.err, HasSubstr("http://127.0.0.1:1: connect_failed"));
}

TEST_F(chat, is_heard_by_espeak_ng) {
    if (std::system("command -v espeak-ng > /dev/null") != 0)
        GTEST_SKIP() << "espeak-ng is not installed";
    const auto r = talk("story\n", {"--json", "--pacing", "ahead", "--play", "no", "--wav", wav});
    EXPECT_EQ(r.status, 0) << r.err;
    const auto chunks = r.events("chunk");
    ASSERT_THAT(chunks, SizeIs(4));
    for (std::size_t i = 1; i < chunks.size(); ++i) {
        // Finds, in the waveform, the silence that ends where the sentence begins.
        const auto begins = chunks[i]["at_ms"].get<double>();
        double pause = 0;
        for (const auto& s : split_wav_at_silence(wav, 100))
            if (!s.is_speech && std::abs(s.at_ms + s.ms - begins) < 50) pause = s.ms;
        EXPECT_GE(pause, pause_ms - 2 * exactly) << chunks[i];
        EXPECT_NEAR(pause, chunks[i]["silence_ms"].get<double>(), 2 * exactly) << chunks[i];
    }
}

TEST_F(chat, reports_that_espeak_ng_has_no_such_voice) {
    if (std::system("command -v espeak-ng > /dev/null") != 0)
        GTEST_SKIP() << "espeak-ng is not installed";
    for (const std::string flag : {"--voice", "--language"}) {
        const auto r = talk("story\n", {"--play", "no", flag, "xx-YY"});
        EXPECT_EQ(r.status, 2);
        EXPECT_THAT(r.err, AllOf(HasSubstr(flag + " xx-YY: espeak-ng cannot speak: "),
                                 HasSubstr("\"espeak-ng --voices\"")));
        EXPECT_EQ(r.out, "");
    }
}

}  // namespace
}  // namespace tandem::testing

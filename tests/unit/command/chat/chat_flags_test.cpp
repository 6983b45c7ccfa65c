#include "unit/command/arguments_fixture.hpp"

#include <gmock/gmock.h>

namespace tandem::command {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using tts = chat_options::tts;

class chat_arguments : public arguments {
 protected:
    chat_options chat(std::vector<std::string> args) {
        args.insert(args.begin(), "chat");
        auto c = parse(std::move(args));
        EXPECT_EQ(c.err, "");
        return c.chat.value_or(chat_options{});
    }
    std::string refusal(std::vector<std::string> args) {
        args.insert(args.begin(), "chat");
        const auto c = parse(std::move(args));
        EXPECT_EQ(c.status, 2);
        EXPECT_FALSE(c.chat);
        return c.err;
    }
};

TEST_F(chat_arguments, are_none_but_the_defaults) {
    const auto o = chat({});
    EXPECT_EQ(o.synthesizer, tts::automatic);
    EXPECT_EQ(o.sentence_pause, 250ms);
    EXPECT_EQ(o.vad_stop, 0ms);
    EXPECT_EQ(o.words_per_minute, 160);
    EXPECT_EQ(o.play, chat_options::playing::automatic);
    EXPECT_FALSE(o.barge_in_after);
    EXPECT_TRUE(o.service.conversation.messages.empty());
}

TEST_F(chat_arguments, give_chunks_time_to_be_spoken) {
    EXPECT_EQ(chat({}).service.client.limits.continue_timeout, 5min);
    EXPECT_EQ(chat({"--continue-timeout", "30s"}).service.client.limits.continue_timeout, 30s);
    variables_["TANDEM_CONTINUE_TIMEOUT"] = "40s";
    EXPECT_EQ(chat({}).service.client.limits.continue_timeout, 40s);
}

TEST_F(chat_arguments, name_the_voice) {
    const auto o = chat({"--tts", "espeak-ng", "--voice", "en-us", "--speed", "200"});
    EXPECT_EQ(o.synthesizer, tts::espeak);
    EXPECT_EQ(o.voice_name, "en-us");
    EXPECT_EQ(o.words_per_minute, 200);
    EXPECT_EQ(chat({"--language", "de"}).voice_name, "de");
}

TEST_F(chat_arguments, take_any_program) {
    const auto o = chat({"--tts-command", "say -v Anna", "--player", "paplay"});
    EXPECT_EQ(o.synthesizer, tts::command);
    EXPECT_EQ(o.tts_command, "say -v Anna");
    EXPECT_EQ(o.player, "paplay");
    EXPECT_EQ(o.play, chat_options::playing::yes) << "a named player implies playing";
}

TEST_F(chat_arguments, begin_the_conversation) {
    const auto talk =
        chat({"--system", "Be brief.", "--interrupted-mark", "…"}).service.conversation;
    ASSERT_EQ(talk.messages.size(), 1u);
    EXPECT_EQ(talk.messages[0].role, "system");
    EXPECT_EQ(talk.messages[0].content, "Be brief.");
    EXPECT_EQ(talk.interrupted_mark, "…");
}

TEST_F(chat_arguments, name_a_file_of_functions) {
    const auto o = chat({"--tools", file_with(R"([{"type":"function","function":{"name":"f"},
        "command":["f"]}])")});
    ASSERT_EQ(o.functions.size(), 1u);
    EXPECT_EQ(o.functions[0].name, "f");
    EXPECT_EQ(o.service.client.generation.tools,
              R"([{"type":"function","function":{"name":"f"}}])");
}

TEST_F(chat_arguments, take_functions_as_json_too) {
    const auto o =
        chat({"--tools", R"([{"type":"function","function":{"name":"f"},"command":["f"]}])"});
    ASSERT_EQ(o.functions.size(), 1u);
    EXPECT_EQ(o.functions[0].name, "f");
    EXPECT_THAT(refusal({"--tools", "[1]"}), HasSubstr("--tools: [0] must be an object"));
}

TEST_F(chat_arguments, have_every_fault_of_that_file_told) {
    const auto told = refusal({"--tools", file_with("[1,2]"), "--speed", "0"});
    EXPECT_THAT(told, HasSubstr("--tools " + file_ + ": [0] must be an object, not number"));
    EXPECT_THAT(told, HasSubstr("[1] must be an object"));
    EXPECT_THAT(told, HasSubstr("--speed"));
    EXPECT_THAT(refusal({"--tools", "/no/such/file"}), HasSubstr("--tools /no/such/file: No such"));
}

TEST_F(chat_arguments, set_times) {
    const auto o = chat({"--vad-stop", "200ms", "--sentence-pause", "0", "--barge-in-after", "1s"});
    EXPECT_EQ(o.vad_stop, 200ms);
    EXPECT_EQ(o.sentence_pause, 0ms);
    EXPECT_EQ(o.barge_in_after, 1s);
}

TEST_F(chat_arguments, may_not_contradict_each_other) {
    EXPECT_THAT(refusal({"--tts", "none", "--tts-command", "say"}), HasSubstr("cannot be"));
    EXPECT_THAT(refusal({"--tts-command", "say", "--voice", "en"}),
                HasSubstr("--voice applies only"));
    EXPECT_THAT(refusal({"--player", "paplay", "--play", "no"}), HasSubstr("cannot be"));
    EXPECT_THAT(refusal({"--tts", "none", "--wav", "f.wav"}), HasSubstr("cannot be combined"));
    EXPECT_THAT(refusal({"--tts", "none", "--play", "yes"}), HasSubstr("cannot be combined"));
    EXPECT_THAT(refusal({"--load", "f", "--system", "x"}), HasSubstr("cannot be"));
}

TEST_F(chat_arguments, name_another_file_for_each_thing_that_is_kept) {
    EXPECT_THAT(refusal({"--record", "none/a", "--save", "./none/a"}),
                HasSubstr("--record and --save name the same file, none/a"));
    EXPECT_THAT(refusal({"--record", "a.wav", "--wav", "./a.wav"}),
                HasSubstr("--record and --wav name the same file, a.wav"));
    EXPECT_THAT(refusal({"--record", "a", "--save", "a.old"}),
                HasSubstr("--save names a.old, where --record a keeps an older recording"));
    EXPECT_THAT(refusal({"--save", "a", "--wav", "a"}),
                HasSubstr("--save and --wav name the same file, a"));
    EXPECT_EQ(chat({"--record", "a", "--save", "b", "--wav", "c"}).record.file, "a");
    EXPECT_EQ(chat({"--record", "/dev/null", "--save", "/dev/null"}).record.file, "/dev/null");
}

TEST_F(chat_arguments, write_no_file_to_stdout) {
    for (const std::string flag : {"--record", "--save", "--wav"})
        EXPECT_THAT(refusal({flag, "-"}),
                    HasSubstr(flag + " is -, but stdout has other output; name a file"));
}

TEST_F(chat_arguments, are_refused_if_they_cannot_work) {
    EXPECT_THAT(refusal({"--tts", "festival"}), HasSubstr("--tts-command for other programs"));
    EXPECT_THAT(refusal({"--speed", "20"}), HasSubstr("--speed"));
    EXPECT_THAT(refusal({"--play", "loud"}), HasSubstr("auto, yes or no"));
    EXPECT_THAT(refusal({"--vad-stop", "long"}), HasSubstr("--vad-stop is long"));
    EXPECT_THAT(refusal({"--system", "\xff"}), HasSubstr("--system has invalid UTF-8 at byte 1"));
    EXPECT_THAT(refusal({"Hello"}), HasSubstr("Hello is an unexpected argument"));
}

}  // namespace
}  // namespace tandem::command

#include "sound/synthesizer.hpp"

#include "sound/sound_player.hpp"
#include "sound/wav_file.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>
#include <unistd.h>

namespace tandem::command {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

class programs : public ::testing::Test {
 protected:
    // Like the command, ignores SIGPIPE, because a program may end without reading its input.
    programs() { std::signal(SIGPIPE, SIG_IGN); }
    ~programs() override { std::remove(file.c_str()); }

    template <class Result>
    Result wait_for(boost::asio::awaitable<Result> work) {
        Result result{};
        boost::asio::co_spawn(ioc, std::move(work), [&](const std::exception_ptr& e, Result r) {
            if (e) std::rethrow_exception(e);
            result = std::move(r);
        });
        ioc.restart();
        ioc.run_for(30s);
        EXPECT_TRUE(ioc.stopped()) << "something still runs";
        return result;
    }
    synthesis speak(synthesizer& s, const std::string& text, duration min_play = {}) {
        return wait_for(s.make(text, min_play));
    }
    synthesis run(const std::string& command, duration limit = 20s) {
        synthesizer s(ioc.get_executor(), shell_arguments(command), limit);
        return speak(s, "Hello.");
    }
    // A command that writes `bytes`.
    std::string writing(const std::string& bytes) {
        std::ofstream(file, std::ios::binary) << bytes;
        return "cat " + file;
    }
    static audio_clip loud(int rate = 8000) {
        return {.rate = rate, .samples = std::vector<std::int16_t>(2000, 9000)};
    }

    std::string file = ::testing::TempDir() + "synthesizer_" + std::to_string(::getpid());
    boost::asio::io_context ioc{1};
};

using a_synthesizer = programs;
using a_player = programs;

TEST_F(a_synthesizer, gets_the_text_on_stdin) {
    run("cat > " + file);
    std::ifstream in(file);
    std::string text;
    std::getline(in, text);
    EXPECT_EQ(text, "Hello.");
}

TEST_F(a_synthesizer, gives_the_sound_that_its_program_writes) {
    const auto s = run(writing(wav_bytes(loud())));
    EXPECT_EQ(s.fault, "");
    ASSERT_TRUE(s.made);
    EXPECT_EQ(s.made->samples, loud().samples);
    EXPECT_LE(s.began_at, s.ended_at);
}

TEST_F(a_synthesizer, reports_the_last_words_of_a_program_that_fails) {
    EXPECT_EQ(run("echo first >&2; echo no such voice >&2; exit 3").fault, "no such voice");
    EXPECT_EQ(run("exit 3").fault, "it ended with status 3");
    EXPECT_EQ(run("kill -TERM $$").fault, "it was ended by signal 15");
    EXPECT_THAT(run("no-such-program-here").fault, HasSubstr("not found"));
}

TEST_F(a_synthesizer, reports_that_its_program_cannot_be_started) {
    synthesizer s(ioc.get_executor(), {"/no/such/program"}, 1s);
    EXPECT_THAT(speak(s, "Hello.").fault,
                HasSubstr("/no/such/program cannot be started: No such file"));
}

TEST_F(a_synthesizer, refuses_what_is_no_sound) {
    EXPECT_THAT(run("echo Hello").fault, HasSubstr("its output is not a WAV file"));
}

TEST_F(a_synthesizer, refuses_a_sound_of_another_rate_than_the_first) {
    synthesizer s(ioc.get_executor(), shell_arguments(writing(wav_bytes(loud(8000)))), 20s);
    EXPECT_EQ(speak(s, "One.").fault, "");
    writing(wav_bytes(loud(16000)));
    EXPECT_EQ(speak(s, "Two.").fault,
              "its sample rate is 16000 Hz, but the first sound had 8000 Hz");
}

TEST_F(a_synthesizer, is_ended_at_its_limit) {
    EXPECT_EQ(run("exec sleep 60", 50ms).fault, "it took longer than 0.05 s");
}

TEST_F(a_synthesizer, is_ended_with_all_that_it_started) {
    EXPECT_EQ(run("sleep 60 & sleep 60", 50ms).fault, "it took longer than 0.05 s");
}

// A synthesizer may start a server at its first use. This server is in another process group, so
// the signal that ends the synthesizer does not end it.
TEST_F(a_synthesizer, is_not_waited_for_if_something_has_left_its_group) {
    EXPECT_EQ(run("setsid sleep 20 & cat > /dev/null; exit 3").fault, "it ended with status 3");
    EXPECT_EQ(run("setsid sleep 20 & exec sleep 60", 50ms).fault, "it took longer than 0.05 s");
}

TEST_F(a_synthesizer, may_not_write_without_end) {
    EXPECT_THAT(run("cat /dev/zero").fault, HasSubstr("it wrote more than 64 MiB"));
}

TEST_F(a_synthesizer, that_writes_nothing_plays_itself) {
    synthesizer s(ioc.get_executor(), shell_arguments("cat > /dev/null"), 20s);
    EXPECT_FALSE(s.plays_itself());
    const auto spoken = speak(s, "Hello.");
    EXPECT_EQ(spoken.fault, "");
    EXPECT_FALSE(spoken.made);
    EXPECT_TRUE(s.plays_itself());
}

TEST_F(a_synthesizer, that_writes_nothing_at_once_has_played_nothing) {
    synthesizer s(ioc.get_executor(), shell_arguments("cat > /dev/null"), 20s);
    const auto spoken = speak(s, "Hello.", 1h);
    EXPECT_EQ(spoken.fault, "it wrote no sound");
    EXPECT_THAT(spoken.note, AllOf(HasSubstr(", and ended after "),
                                   HasSubstr(" s, too soon to have played it")));
    EXPECT_FALSE(s.plays_itself());
}

TEST_F(a_synthesizer, that_writes_a_sound_later_does_not_play_itself) {
    synthesizer s(ioc.get_executor(),
                  shell_arguments("cat > /dev/null; test ! -e " + file + " || cat " + file), 20s);
    speak(s, "One.");
    EXPECT_TRUE(s.plays_itself());
    writing(wav_bytes(loud()));
    EXPECT_TRUE(speak(s, "Two.").made);
    EXPECT_FALSE(s.plays_itself());
}

TEST_F(a_synthesizer, is_started_once_for_a_text_that_was_prepared) {
    const auto wav = writing(wav_bytes(loud()));
    const auto log = file + ".log";
    synthesizer s(ioc.get_executor(), shell_arguments("cat >> " + log + "; " + wav), 20s);
    s.prepare("One.");
    s.prepare("One.");
    EXPECT_TRUE(speak(s, "One.").made);
    std::ifstream in(log);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "One.\n");
    std::remove(log.c_str());
}

TEST_F(a_synthesizer, makes_another_text_than_the_prepared_one) {
    synthesizer s(ioc.get_executor(),
                  shell_arguments("read t; [ $t = Two. ] && exit 2; exec sleep 60"), 20s);
    s.prepare("One.");
    EXPECT_EQ(speak(s, "Two.").fault, "it ended with status 2");
}

TEST_F(a_synthesizer, that_is_stopped_has_no_fault) {
    synthesizer s(ioc.get_executor(), shell_arguments("exec sleep 60"), 20s);
    boost::asio::post(ioc, [&] { boost::asio::post(ioc, [&] { s.stop(); }); });
    const auto spoken = speak(s, "Hello.");
    EXPECT_EQ(spoken.fault, "");
    EXPECT_FALSE(spoken.made);
    EXPECT_FALSE(s.plays_itself());
}

TEST_F(a_player, gets_a_wav_file) {
    sound_player p(ioc.get_executor(), shell_arguments("cat > " + file));
    p.start(loud(), 20s);
    EXPECT_EQ(wait_for(p.wait()), "");
    std::ifstream in(file, std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), wav_bytes(loud()));
}

TEST_F(a_player, reports_why_it_cannot_play) {
    sound_player p(ioc.get_executor(), shell_arguments("echo no device >&2; exit 1"));
    EXPECT_EQ(wait_for(p.play_test_sound()), "no device");
}

}  // namespace
}  // namespace tandem::command

// A client that loses its connection, reconnects, and reports what the listener heard.

#include "gateway/voice_fixture.hpp"

#include <string>
#include <vector>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class voice_lost_connection : public voice_gateway {
 protected:
    /// The connection is lost while this sentence is spoken.
    void lose(int sentence = 2) {
        start();
        auto c = voice();
        auto first = start_of("Hello!");
        first["turn"] = "t1";
        c.say(first);
        session = c.read("ready")["session"];
        for (int i = 1; i < sentence; ++i) c.say(spoken(c.read("chunk")));
        chunk = c.read("chunk")["id"];
        c.drop();
    }
    json resumed_with(json last) {
        last["chunk"] = chunk;
        return {{"type", "start"}, {"session", session}, {"last", std::move(last)}};
    }
    /// The history as it appears in the next prompt.
    std::string prompt_of_next_turn(voice_client& c) {
        const auto newest = [this] {
            return mock_server->observe().of_path("/apply-template").back().body;
        };
        c.say(start_of("And you?"));
        EXPECT_TRUE(poll_until([&] { return newest().find("And you?") != std::string::npos; }));
        return newest();
    }

    json session;
    std::string chunk;
};

TEST_F(voice_lost_connection, is_told_what_follows_the_chunk_that_is_spoken_on) {
    lose();
    auto c = voice();
    c.say(resumed_with({{"speaking", true}}));
    EXPECT_EQ(c.read("ready")["turns"], json({"t1", "t1"}));
    EXPECT_EQ(c.read("end")["finish_reason"], "interrupted");
    const auto next = c.read("chunk");
    EXPECT_EQ(next["text"], " I am very well today, thank you.");
    EXPECT_EQ(next["early"], true);
    c.say({{"type", "continue"}, {"chunk", chunk}});
    c.say(spoken(next));
    EXPECT_EQ(c.read("end")["finish_reason"], "eos");
    EXPECT_THAT(prompt_of_next_turn(c), HasSubstr(story));
}

TEST_F(voice_lost_connection, keeps_what_was_heard_of_a_chunk_that_was_spoken_on) {
    lose();
    auto c = voice();
    c.say(resumed_with({{"speaking", true}}));
    c.read("chunk");
    c.say({{"type", "interrupt"}, {"heard", {{"chunk", chunk}, {"said", "How are"}}}});
    EXPECT_EQ(c.read("end")["finish_reason"], "interrupted");
    EXPECT_THAT(prompt_of_next_turn(c),
                AllOf(HasSubstr("Hello. How are"), Not(HasSubstr("How are you?"))));
}

TEST_F(voice_lost_connection, keeps_what_was_heard_of_the_last_chunk_that_was_spoken_on) {
    lose(3);
    auto c = voice();
    c.say(resumed_with({{"speaking", true}}));
    EXPECT_EQ(c.read("end")["finish_reason"], "interrupted");
    EXPECT_EQ(c.read("end")["finish_reason"], "eos") << "there is no rest";
    c.say({{"type", "interrupt"}, {"heard", {{"chunk", chunk}, {"said", "I am very"}}}});
    c.say({{"type", "resume"}});
    EXPECT_EQ(c.read("chunk")["text"], " well today, thank you.");
}

TEST_F(voice_lost_connection, is_told_what_follows_the_words_that_were_heard) {
    lose();
    auto c = voice();
    c.say(resumed_with({{"words", 2}}));
    EXPECT_THAT(c.read("chunk")["text"].get<std::string>(), StartsWith(" you?"));
}

TEST_F(voice_lost_connection, changes_nothing_if_it_names_a_chunk_that_was_not_sent) {
    lose();
    auto c = voice();
    auto wrong = resumed_with({{"share", 1}});
    wrong["last"]["chunk"] = "7-0";
    c.say(wrong);
    const auto refused = c.read();
    EXPECT_EQ(refused["code"], "unknown_chunk");
    EXPECT_EQ(refused["param"], "last.chunk");
    c.say(resumed_with({{"share", 1}}));
    EXPECT_EQ(c.read()["resumed"], true) << "the connection stays open";
    EXPECT_EQ(c.read("chunk")["text"], " I am very well today, thank you.");
}

}  // namespace

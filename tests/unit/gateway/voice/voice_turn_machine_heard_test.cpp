// What a client reports about the speech of a chunk, and the number of heard tokens in a reply's
// end message.

#include "voice_session_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::gateway {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;

constexpr voice_socket listener = 7;

class voice_with_a_chunk : public ::testing::Test {
 protected:
    voice_with_a_chunk() {
        s.attach(listener, hello);
        s.chunk(1, {.id = {0, 0}, .text = "*Ünder* it.", .speech = "Ünder it.", .tokens = 6});
        s.sent(listener);
    }
    voice_session_driver s;
};

class counting_what_is_heard : public voice_with_a_chunk {
 protected:
    /// Ends the reply. `continued` is the number of tokens in continued chunks that the library
    /// reports.
    int heard_at_the_end(int continued = 0) {
        reply_result r{.finish_reason = finish_reason::interrupted};
        r.usage.heard = continued;
        s.turns.on_reply_ended(s.now, 1, r);
        s.drain();
        for (const auto& m : s.sent(listener))
            if (m["type"] == "end") return m["usage"]["heard"];
        return -1;
    }
};

TEST_F(counting_what_is_heard, counts_the_tokens_of_the_part_that_was_heard_of_the_last_chunk) {
    s.say(listener, R"({"type":"interrupt","heard":{"chunk":"1-0","chars":6}})");
    EXPECT_EQ(heard_at_the_end(), 4) << "6 of 9 characters of 6 tokens";
}

TEST_F(counting_what_is_heard, knows_the_words_that_a_voice_reports) {
    s.asked();
    s.say(listener, R"({"type":"heard","chunk":"1-0","words":1})");
    EXPECT_THAT(s.asked(), ElementsAre(EndsWith(" 5"))) << "Ünder";
    s.say(listener, R"({"type":"heard","chunk":"1-0","said":"Under IT"})");
    EXPECT_THAT(s.asked().back(), EndsWith(" 9")) << "two words";
}

TEST_F(counting_what_is_heard, takes_the_furthest_report) {
    s.say(listener, R"({"type":"heard","chunk":"1-0","share":0.5})");
    s.say(listener, R"({"type":"interrupt","heard":{"chunk":"1-0","chars":1}})");
    EXPECT_EQ(heard_at_the_end(), 3);
}

TEST_F(counting_what_is_heard, has_at_most_the_chunk) {
    s.say(listener, R"({"type":"interrupt","heard":{"chunk":"1-0","chars":900}})");
    EXPECT_EQ(heard_at_the_end(), 6);
}

TEST_F(counting_what_is_heard, does_not_count_a_chunk_twice_that_was_continued) {
    s.say(listener, R"({"type":"heard","chunk":"1-0","chars":9})");
    s.say(listener, R"({"type":"continue","chunk":"1-0"})");
    EXPECT_EQ(heard_at_the_end(6), 6);
}

class speaking_message : public voice_with_a_chunk {};

TEST_F(speaking_message, is_passed_on_if_it_names_a_delivered_chunk_of_the_reply) {
    s.asked();
    s.say(listener, R"({"type":"speaking","chunk":"1-0","ends_in_ms":700})");
    s.say(listener, R"({"type":"speaking","chunk":"1-1","ends_in_ms":700})");
    s.say(listener, R"({"type":"speaking","chunk":"2-0","ends_in_ms":700})");
    EXPECT_THAT(s.asked(), ::testing::ElementsAre("speaks 1-0 for 700 ms"));
}

}  // namespace
}  // namespace tandem::gateway

// A session whose client receives chunks before the client may speak them.

#include "voice_session_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::gateway {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr voice_socket caller = 7;

class a_session_with_lookahead : public ::testing::Test {
 protected:
    a_session_with_lookahead() {
        s.attach(caller, R"({"type":"start","text":"Hello","options":{"lookahead":1}})");
        s.sent(caller);
        s.asked();
    }
    void chunk(std::uint32_t seq, boundary why = boundary::sentence) {
        s.chunk(1, {.id = {0, seq},
                    .text = "Ten chars.",
                    .speech = "Ten chars.",
                    .boundary = why,
                    .early = seq > 0,
                    .tokens = 4});
    }
    voice_session_driver s;
};

TEST_F(a_session_with_lookahead, requests_the_next_chunk_while_the_first_is_spoken) {
    chunk(0);
    EXPECT_THAT(s.asked(), ElementsAre("next 1"));
    chunk(1);
    EXPECT_THAT(s.asked(), IsEmpty());
    s.say(caller, R"({"type":"continue","chunk":"1-0"})");
    EXPECT_THAT(s.asked(), ElementsAre("continue 1-0", "next 1"));
}

TEST_F(a_session_with_lookahead, passes_it_to_the_library) {
    ASSERT_EQ(s.generated.size(), 1u);
    EXPECT_EQ(s.generated[0]->options.lookahead, 1);
}

TEST_F(a_session_with_lookahead, marks_early_and_last_chunks) {
    chunk(0);
    chunk(1, boundary::end);
    const auto sent = s.sent(caller);
    EXPECT_FALSE(sent[0].contains("early"));
    EXPECT_FALSE(sent[0].contains("last"));
    EXPECT_EQ(sent[1]["early"], true);
    EXPECT_EQ(sent[1]["last"], true);
}

TEST_F(a_session_with_lookahead, waits_for_the_continue_of_the_last_chunk) {
    chunk(0);
    chunk(1, boundary::end);
    s.asked();
    s.say(caller, R"({"type":"continue","chunk":"1-0"})");
    s.say(caller, R"({"type":"continue","chunk":"1-1"})");
    EXPECT_THAT(s.asked(), ElementsAre("continue 1-0", "next 1", "continue 1-1"));
}

TEST_F(a_session_with_lookahead, takes_a_continue_for_the_chunks_before_it_too) {
    chunk(0);
    chunk(1);
    s.asked();
    s.say(caller, R"({"type":"continue","chunk":"1-1"})");
    s.say(caller, R"({"type":"continue","chunk":"1-0"})");
    EXPECT_THAT(s.asked(), ElementsAre("continue 1-1 of 2", "next 1"));
}

TEST_F(a_session_with_lookahead, counts_what_was_heard_of_the_spoken_chunk_and_not_the_early_one) {
    chunk(0);
    chunk(1);
    s.say(caller, R"({"type":"interrupt","heard":{"chunk":"1-0","share":0.5}})");
    s.end(1, finish_reason::interrupted);
    EXPECT_EQ(s.sent(caller).back()["usage"]["heard"], 2);
}

TEST_F(a_session_with_lookahead, counts_all_of_a_chunk_if_the_listener_is_in_the_next_one) {
    chunk(0);
    chunk(1);
    s.say(caller, R"({"type":"interrupt","heard":{"chunk":"1-1","share":0.5}})");
    s.end(1, finish_reason::interrupted);
    EXPECT_EQ(s.sent(caller).back()["usage"]["heard"], 6);
}

TEST_F(a_session_with_lookahead, keeps_it_for_a_resumed_reply) {
    chunk(0);
    s.say(caller, R"({"type":"interrupt"})");
    s.end(1, finish_reason::interrupted);
    s.say(caller, R"({"type":"resume"})");
    s.asked();
    s.chunk(2, 0, "Ten chars.");
    EXPECT_THAT(s.asked(), ElementsAre("next 2"));
}

TEST(a_session_without_lookahead, requests_the_next_chunk_after_the_continue) {
    voice_session_driver s;
    s.attach(caller, hello);
    s.asked();
    s.chunk(1, 0, "Ten chars.");
    EXPECT_THAT(s.asked(), IsEmpty());
}

}  // namespace
}  // namespace tandem::gateway

#include "text/chunks/reasoning_meter.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using tandem::text::reasoning_meter;

constexpr tandem::time_point start{1h};

TEST(reasoning_meter, measures_from_the_first_to_the_last_text_of_each_reasoning) {
    reasoning_meter m;
    m.on_text_read(start, true, 1);
    m.on_text_read(start + 1s, true, 2);
    m.on_text_read(start + 2s, false, 1);
    m.on_text_read(start + 5s, false, 0);
    m.on_text_read(start + 6s, true, 1);
    EXPECT_EQ(m.time_spent(start + 7s), 3s);
    EXPECT_EQ(m.tokens(), 5);
}

TEST(reasoning_meter, begins_with_the_first_text_if_the_prompt_opened_it) {
    reasoning_meter m({.time = 2s}, true);
    EXPECT_FALSE(m.must_end_at());
    m.on_text_read(start, true, 1);
    EXPECT_EQ(m.must_end_at(), start + 2s);
    EXPECT_FALSE(m.has_opened());
}

TEST(reasoning_meter, is_due_at_once_when_it_has_its_tokens) {
    reasoning_meter m({.time = 2s, .tokens = 2});
    m.on_text_read(start, true, 1);
    EXPECT_EQ(m.must_end_at(), start + 2s);
    m.on_text_read(start + 1s, true, 1);
    EXPECT_LE(m.must_end_at(), start + 1s);
    EXPECT_TRUE(m.has_opened());
}

TEST(reasoning_meter, has_one_limit_for_all_of_a_reply) {
    reasoning_meter m({.time = 3s});
    m.on_text_read(start, true, 1);
    m.on_text_read(start + 2s, false, 1);
    EXPECT_FALSE(m.must_end_at());
    m.on_text_read(start + 9s, true, 1);
    EXPECT_EQ(m.must_end_at(), start + 10s);
}

TEST(reasoning_meter, rests_between_requests) {
    reasoning_meter m({.time = 3s});
    m.on_text_read(start, true, 1);
    m.on_request_ended(start + 1s);
    EXPECT_FALSE(m.must_end_at());
    m.on_text_read(start + 9s, true, 1);
    EXPECT_EQ(m.must_end_at(), start + 11s);
}

TEST(reasoning_meter, knows_whether_the_reply_has_spoken) {
    reasoning_meter m;
    m.on_text_shown("");
    m.on_text_shown(" \n");
    EXPECT_FALSE(m.has_spoken());
    m.on_text_shown(" Hi");
    m.on_text_shown(" ");
    EXPECT_TRUE(m.has_spoken());
}

TEST(reasoning_meter, is_never_due_without_a_limit) {
    reasoning_meter m;
    m.on_text_read(start, true, 100);
    EXPECT_FALSE(m.must_end_at());
    EXPECT_FALSE(m.is_limited());
    m = reasoning_meter({.time = 3s});
    m.on_text_read(start, true, 1);
    m.lift_limit();
    EXPECT_FALSE(m.must_end_at());
}

}  // namespace

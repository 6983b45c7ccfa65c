#include "channel/chunk_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using namespace std::chrono_literals;
using tandem::boundary;
using tandem::channel_options;
using tandem::chunk;
using tandem::chunk_id;
using tandem::errc;
using tandem::finish_reason;
using tandem::pace;
using tandem::time_point;
using tandem::detail::chunk_queue;

chunk piece(std::uint32_t seq, std::string text, int tokens = 5, boundary b = boundary::sentence) {
    return {.id = {7, seq}, .text = text, .speech = text, .boundary = b, .tokens = tokens};
}

chunk spoken_as(chunk c, std::string speech) {
    c.speech = std::move(speech);
    return c;
}

constexpr chunk_id id(std::uint32_t seq) {
    return {7, seq};
}

class queue_test : public ::testing::Test {
 protected:
    void add(chunk c, int interval = 1) { queue.add_chunk(time_point(9s), std::move(c), interval); }
    void make(channel_options options) { queue = chunk_queue(options); }

    chunk_queue queue{channel_options{}};
};

using chunk_queue_items = queue_test;
using chunk_queue_joining = queue_test;
using chunk_queue_voice = queue_test;
using chunk_queue_text = queue_test;
using chunk_queue_end = queue_test;

TEST_F(chunk_queue_items, hold_what_the_chunk_held) {
    add(spoken_as(piece(3, "*One.* ", 4, boundary::clause), "One."));
    const auto item = queue.take_item();
    ASSERT_TRUE(item);
    EXPECT_EQ(item->text, "*One.* ");
    EXPECT_EQ(item->speech, "One.");
    EXPECT_EQ(item->first, id(3));
    EXPECT_EQ(item->last, id(3));
    EXPECT_EQ(item->tokens, 4);
    EXPECT_EQ(item->boundary, boundary::clause);
    EXPECT_EQ(item->handed_over, time_point(9s));
    EXPECT_FALSE(item->finished);
    EXPECT_FALSE(queue.take_item());
}

TEST_F(chunk_queue_items, come_in_their_order) {
    make({.pace = pace::text});
    add(piece(0, "One. "));
    add(piece(1, "Two. "));
    EXPECT_EQ(queue.take_item().value().text, "One. ");
    EXPECT_EQ(queue.take_item().value().text, "Two. ");
}

TEST_F(chunk_queue_joining, places_marks_in_the_joined_speech) {
    auto first = spoken_as(piece(0, "Én. [laughs] "), "Én.");
    first.marks = {{3, "laughs", ""}};
    auto second = spoken_as(piece(1, "[sighs] Two."), "Two.");
    second.marks = {{0, "sighs", ""}};
    add(first, 8);
    add(second, 8);
    const auto item = queue.take_item();
    ASSERT_TRUE(item);
    EXPECT_EQ(item->speech, "Én. Two.");
    ASSERT_EQ(item->marks.size(), 2u);
    EXPECT_EQ(item->marks[0].at, 3u);
    EXPECT_EQ(item->marks[1].at, 4u);
}

TEST_F(chunk_queue_joining, continues_until_there_are_enough_tokens) {
    add(piece(0, "One. ", 3), 8);
    add(piece(1, "Two. ", 4, boundary::clause), 8);
    EXPECT_FALSE(queue.has_item_or_end());
    add(piece(2, "Three. ", 1, boundary::word), 8);
    const auto item = queue.take_item();
    ASSERT_TRUE(item);
    EXPECT_EQ(item->text, "One. Two. Three. ");
    EXPECT_EQ(item->speech, "One. Two. Three. ");
    EXPECT_EQ(item->first, id(0));
    EXPECT_EQ(item->last, id(2));
    EXPECT_EQ(item->tokens, 8);
    EXPECT_EQ(item->boundary, boundary::word);
}

TEST_F(chunk_queue_joining, leaves_a_chunk_without_a_token_alone_at_an_interval_of_one) {
    add(piece(0, "…", 0), 1);
    EXPECT_EQ(queue.take_item().value().text, "…");
}

TEST_F(chunk_queue_joining, stops_if_the_reply_has_no_more_text) {
    add(piece(0, "One. ", 1, boundary::end), 100);
    EXPECT_EQ(queue.take_item().value().text, "One. ");
}

TEST_F(chunk_queue_joining, stops_at_its_bound_of_text) {
    add(piece(0, std::string(chunk_queue::max_item_bytes - 1, 'a')), 1'000'000);
    EXPECT_FALSE(queue.has_item_or_end());
    add(piece(1, "b"), 1'000'000);
    EXPECT_EQ(queue.take_item().value().text.size(), chunk_queue::max_item_bytes);
}

TEST_F(chunk_queue_joining, continues_each_chunk_but_the_last_of_an_item) {
    add(piece(0, "One. ", 3), 8);
    EXPECT_EQ(queue.take_chunk_to_continue(), id(0));
    add(piece(1, "Two. ", 5), 8);
    EXPECT_EQ(queue.take_chunk_to_continue(), std::nullopt);
}

struct speech_case {
    const char* name;
    chunk first, second, third;
    const char* joined;
};

class joined_speech : public queue_test, public ::testing::WithParamInterface<speech_case> {};

TEST_P(joined_speech, has_the_spaces_that_cleaning_took) {
    add(GetParam().first, 100);
    add(GetParam().second, 100);
    add(GetParam().third, 100);
    queue.end({.finish_reason = finish_reason::eos});
    EXPECT_EQ(queue.take_item().value().speech, GetParam().joined);
}

INSTANTIATE_TEST_SUITE_P(
    chunk_queue, joined_speech,
    ::testing::Values(speech_case{"exact", piece(0, "One. "), piece(1, "Two."), piece(2, " Six."),
                                  "One. Two. Six."},
                      speech_case{"cleaned", spoken_as(piece(0, "One. "), "One."),
                                  spoken_as(piece(1, "Two."), "Two."),
                                  spoken_as(piece(2, "\nSix."), "Six."), "One. Two. Six."},
                      speech_case{"without_spaces_between", piece(0, "一。"), piece(1, "二。"),
                                  piece(2, "三。"), "一。二。三。"},
                      speech_case{"wide_space", spoken_as(piece(0, "一。"), "一。"),
                                  spoken_as(piece(1, "\u3000二。"), "二。"),
                                  spoken_as(piece(2, "三。"), "三。"), "一。 二。三。"},
                      speech_case{"over_what_is_not_spoken", spoken_as(piece(0, "One."), "One."),
                                  spoken_as(piece(1, "`x`"), ""),
                                  spoken_as(piece(2, "Six."), "Six."), "One. Six."},
                      speech_case{"after_what_is_not_spoken", spoken_as(piece(0, "`x`"), ""),
                                  spoken_as(piece(1, "One. "), "One."),
                                  spoken_as(piece(2, "`x`"), ""), "One."}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST_F(chunk_queue_voice, waits_with_the_continue_until_the_next_item_is_asked_for) {
    queue.on_item_requested();
    add(piece(0, "One. "));
    EXPECT_EQ(queue.take_chunk_to_continue(), std::nullopt) << "it was not even popped";
    ASSERT_TRUE(queue.take_item());
    EXPECT_EQ(queue.take_chunk_to_continue(), std::nullopt) << "it is being spoken";
    queue.on_item_requested();
    EXPECT_EQ(queue.take_chunk_to_continue(), id(0));
    EXPECT_EQ(queue.take_chunk_to_continue(), std::nullopt) << "once";
}

TEST_F(chunk_queue_voice, does_not_take_a_question_for_an_item_that_comes_later) {
    add(piece(0, "One. "));
    queue.take_item();
    queue.on_item_requested();
    queue.take_chunk_to_continue();
    queue.on_item_requested();
    add(piece(1, "Two. "));
    EXPECT_EQ(queue.take_chunk_to_continue(), std::nullopt);
    ASSERT_TRUE(queue.take_item());
    EXPECT_EQ(queue.take_chunk_to_continue(), std::nullopt);
}

TEST_F(chunk_queue_text, continues_as_long_as_there_is_room) {
    make({.pace = pace::text, .capacity = 2});
    add(piece(0, "One. "));
    EXPECT_EQ(queue.take_chunk_to_continue(), id(0));
    add(piece(1, "Two. "));
    EXPECT_EQ(queue.take_chunk_to_continue(), std::nullopt) << "full";
    queue.on_item_requested();
    EXPECT_EQ(queue.take_chunk_to_continue(), std::nullopt) << "a request alone makes no room";
    queue.take_item();
    EXPECT_EQ(queue.take_chunk_to_continue(), id(1));
}

TEST_F(chunk_queue_text, does_not_count_what_is_being_joined) {
    make({.pace = pace::text, .capacity = 1});
    for (std::uint32_t seq = 0; seq < 3; ++seq) {
        add(piece(seq, "One. ", 2), 8);
        EXPECT_EQ(queue.take_chunk_to_continue(), id(seq));
    }
    add(piece(3, "Two. ", 2), 8);
    EXPECT_EQ(queue.size(), 1u);
    EXPECT_EQ(queue.take_chunk_to_continue(), std::nullopt);
}

TEST_F(chunk_queue_text, has_room_for_one_at_least) {
    make({.pace = pace::text, .capacity = -3});
    add(piece(0, "One. "));
    EXPECT_EQ(queue.take_chunk_to_continue(), std::nullopt);
    queue.take_item();
    EXPECT_EQ(queue.take_chunk_to_continue(), id(0));
}

TEST_F(chunk_queue_end, is_taken_once) {
    EXPECT_FALSE(queue.take_item());
    EXPECT_TRUE(queue.end({.finish_reason = finish_reason::length}));
    EXPECT_FALSE(queue.is_drained());
    const auto item = queue.take_item();
    ASSERT_TRUE(item);
    EXPECT_TRUE(item->finished);
    EXPECT_EQ(item->finish_reason, finish_reason::length);
    EXPECT_EQ(item->text, "");
    EXPECT_FALSE(queue.take_item());
    EXPECT_TRUE(queue.is_drained());
    EXPECT_TRUE(queue.has_item_or_end()) << "no further item will arrive";
}

TEST_F(chunk_queue_end, comes_after_what_was_there) {
    make({.pace = pace::text});
    add(piece(0, "One. "));
    add(piece(1, "Two"), 100);
    queue.end({.error = errc::stream_incomplete});
    EXPECT_EQ(queue.take_item().value().text, "One. ");
    EXPECT_EQ(queue.take_item().value().text, "Two");
    EXPECT_EQ(queue.take_item().value().error, errc::stream_incomplete);
}

TEST_F(chunk_queue_end, drops_what_was_there_if_it_is_an_interrupt) {
    make({.pace = pace::text});
    add(piece(0, "One. "));
    add(piece(1, "Two"), 100);
    queue.end({.finish_reason = finish_reason::interrupted});
    EXPECT_TRUE(queue.take_item().value().finished);
}

TEST_F(chunk_queue_end, keeps_its_first_reason) {
    EXPECT_TRUE(queue.end({.finish_reason = finish_reason::eos}));
    EXPECT_FALSE(queue.end({.finish_reason = finish_reason::interrupted}));
    EXPECT_EQ(queue.end_reason()->finish_reason, finish_reason::eos);
    EXPECT_EQ(queue.take_item().value().finish_reason, finish_reason::eos);
}

TEST_F(chunk_queue_end, drops_what_waits_after_it_when_an_interrupt_follows) {
    make({.pace = pace::text});
    add(piece(0, "One. "));
    add(piece(1, "Two"), 100);
    queue.end({.finish_reason = finish_reason::eos});
    ASSERT_EQ(queue.take_item().value().text, "One. ");
    EXPECT_FALSE(queue.end({.finish_reason = finish_reason::interrupted}));
    const auto item = queue.take_item();
    ASSERT_TRUE(item);
    EXPECT_TRUE(item->finished) << item->text;
    EXPECT_EQ(item->finish_reason, finish_reason::eos);
}

TEST_F(chunk_queue_end, keeps_what_waits_when_an_error_follows) {
    add(piece(0, "One. "));
    queue.end({.finish_reason = finish_reason::eos});
    EXPECT_FALSE(queue.end({.error = errc::client_destroyed}));
    EXPECT_EQ(queue.take_item().value().text, "One. ");
}

TEST_F(chunk_queue_end, lets_nothing_in_and_continues_nothing) {
    add(piece(0, "One. "));
    queue.take_item();
    queue.on_item_requested();
    queue.end({.finish_reason = finish_reason::eos});
    add(piece(1, "Two. "));
    EXPECT_EQ(queue.take_chunk_to_continue(), std::nullopt);
    EXPECT_TRUE(queue.take_item().value().finished);
}

}  // namespace

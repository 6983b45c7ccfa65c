// A prompt of which only the beginning has known ids. The ids of the text after it become known
// later.

#include "reply/transcript/reply_transcript.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using tandem::detail::prompt_with_ids;
using tandem::detail::reply_transcript;
using tandem::wire::token_event;
using tandem::wire::token_id;
using testing::ElementsAre;
using testing::IsEmpty;

token_event token(std::string text, std::vector<token_id> ids, int predicted, int prompt = 3) {
    token_event e;
    e.content = std::move(text);
    e.tokens = std::move(ids);
    e.predicted = predicted;
    e.prompt_tokens = prompt;
    return e;
}

std::vector<token_id> known_ids(const reply_transcript& c) {
    const auto ids = c.next_prompt().ids;
    return {ids.begin(), ids.end()};
}

// The ids 1 and 2 of "Hi" are known. The id 3 of " you" is not known.
prompt_with_ids half_known() {
    return {.text = "Hi you", .ids = {1, 2}, .bytes_with_ids = 2};
}

TEST(known_start, is_sent_as_ids_with_the_rest_as_text) {
    const reply_transcript c(half_known());
    EXPECT_THAT(known_ids(c), ElementsAre(1, 2));
    EXPECT_EQ(c.next_prompt().text, " you");
    EXPECT_FALSE(c.next_prompt().as_ids());
    EXPECT_EQ(c.untokenized_prompt(), " you");
}

TEST(known_start, is_followed_by_the_ids_of_the_rest_once_they_are_known) {
    reply_transcript c(half_known());
    c.append(token("!", {4}, 1));
    EXPECT_EQ(c.next_prompt().text, " you!");
    c.on_prompt_tokenized({3});
    EXPECT_THAT(known_ids(c), ElementsAre(1, 2, 3, 4));
    EXPECT_TRUE(c.next_prompt().as_ids());
    EXPECT_EQ(c.untokenized_prompt(), "");
}

TEST(known_start, stays_if_the_rest_has_another_number_of_tokens_at_the_server) {
    reply_transcript c(half_known());
    c.on_prompt_tokenized({3});
    c.append(token("!", {4}, 1, 5));
    EXPECT_THAT(known_ids(c), ElementsAre(1, 2));
    EXPECT_EQ(c.next_prompt().text, " you!");
}

TEST(known_start, may_be_the_whole_prompt) {
    const reply_transcript c({.text = "Hi", .ids = {1, 2}, .bytes_with_ids = 2});
    EXPECT_TRUE(c.next_prompt().as_ids());
    EXPECT_FALSE(c.needs_prompt_ids());
}

TEST(known_start, keeps_its_place_before_a_hole_that_is_filled) {
    reply_transcript c(half_known());
    c.append(token("X", {5}, 2));  // the event with id 4 was lost
    c.on_prompt_tokenized({3});
    const std::vector<token_id> answer{4, 5, reply_transcript::separator};
    c.set_recovered_ids(answer);
    EXPECT_THAT(known_ids(c), ElementsAre(1, 2, 3, 4, 5));
}

TEST(known, is_prompt_and_reply_with_a_place_after_each_token) {
    reply_transcript c(half_known());
    c.append(token("!", {4}, 1));
    c.append(token(" Bye", {5}, 2));
    c.on_prompt_tokenized({3});
    const auto known = c.to_tokenized_text();
    EXPECT_EQ(known.text(), "Hi you! Bye");
    EXPECT_THAT(known.attach_known_ids("Hi you! Bye now").ids, ElementsAre(1, 2, 3, 4, 5));
    EXPECT_THAT(known.attach_known_ids("Hi you! By the way").ids, ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(known.attach_known_ids("Hi you, too").ids, ElementsAre(1, 2, 3));
    EXPECT_THAT(known.attach_known_ids("Hi yo-yo").ids, ElementsAre(1, 2));
}

TEST(known, counts_the_tokens_of_a_text_that_several_made_as_one_place) {
    reply_transcript c(prompt_with_ids{.text = "Hi"});
    c.append(token("X", {5}, 2, 1));  // the event with id 4 was lost
    c.append(token("b", {6}, 3, 1));
    c.on_prompt_tokenized({1});
    const std::vector<token_id> answer{4, 5, reply_transcript::separator};
    c.set_recovered_ids(answer);
    EXPECT_THAT(c.to_tokenized_text().attach_known_ids("HiXc").ids, ElementsAre(1, 4, 5));
    EXPECT_THAT(c.to_tokenized_text().attach_known_ids("HiXb").ids, ElementsAre(1, 4, 5, 6));
}

TEST(known, is_the_known_start_alone_if_the_rest_is_not) {
    reply_transcript c(half_known());
    c.append(token("!", {4}, 1));
    EXPECT_THAT(c.to_tokenized_text().attach_known_ids("Hi you! Bye").ids, ElementsAre(1, 2));
}

TEST(known, has_no_ids_once_they_are_forgotten) {
    reply_transcript c(half_known());
    c.append(token("!", {4}, 1));
    c.on_prompt_tokenized({3});
    c.forget_ids();
    EXPECT_THAT(known_ids(c), IsEmpty());
    EXPECT_EQ(c.next_prompt().text, "Hi you!");
    EXPECT_THAT(c.to_tokenized_text().attach_known_ids("Hi you!").ids, IsEmpty());
}

TEST(known, takes_no_ids_once_they_are_forgotten) {
    for (const int counted : {0, 3}) {
        reply_transcript c(half_known());
        if (counted > 0) c.append(token("!", {4}, 1, counted));
        c.forget_ids();
        c.on_prompt_tokenized({1, 2, 3});
        EXPECT_THAT(known_ids(c), IsEmpty());
        EXPECT_EQ(c.next_prompt().text, counted > 0 ? "Hi you!" : "Hi you");
    }
}

}  // namespace

#include "reply/transcript/reply_transcript.hpp"

#include "wire/json/wire_limits.hpp"
#include "wire/stream/utf8_event_joiner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using tandem::detail::prompt_with_ids;
using tandem::detail::reply_transcript;
using tandem::wire::token_event;
using testing::ElementsAre;
using testing::IsEmpty;

token_event event(std::string text, std::vector<tandem::wire::token_id> ids, int predicted) {
    token_event e;
    e.content = std::move(text);
    e.tokens = std::move(ids);
    e.predicted = predicted;
    e.prompt_tokens = 2;
    return e;
}

std::vector<int> ids_of(const reply_transcript& c) {
    const auto p = c.next_prompt();
    return p.as_ids() ? std::vector<int>(p.ids.begin(), p.ids.end()) : std::vector<int>{-1};
}

TEST(reply_transcript, is_the_prompt_as_text_before_anything_is_known) {
    const reply_transcript c(prompt_with_ids{"Hi"});
    EXPECT_FALSE(c.next_prompt().as_ids());
    EXPECT_EQ(c.next_prompt().text, "Hi");
}

TEST(reply_transcript, becomes_ids_when_prompt_and_tokens_are_known_in_either_order) {
    for (const bool prompt_first : {true, false}) {
        reply_transcript c(prompt_with_ids{"Hi"});
        if (prompt_first) c.on_prompt_tokenized({1, 2});
        c.append(event("a", {3}, 1));
        if (!prompt_first) c.on_prompt_tokenized({1, 2});
        EXPECT_THAT(ids_of(c), ElementsAre(1, 2, 3));
        EXPECT_EQ(c.text(), "Hia");
        EXPECT_EQ(c.generated(), "a");
        EXPECT_EQ(c.prompt(), "Hi");
    }
}

TEST(reply_transcript, keeps_a_text_without_ids_in_the_first_prompt) {
    reply_transcript c({.text = "Hi", .ids = {1, 2}, .bytes_with_ids = 2});
    EXPECT_THAT(ids_of(c), ElementsAre(1, 2));
    c.append_mark(" there");  // the ids of this text may stay unknown
    EXPECT_THAT(c.next_prompt().ids, ElementsAre(1, 2));
    EXPECT_EQ(c.next_prompt().text, " there");
}

TEST(reply_transcript, fills_several_holes_between_known_ids) {
    reply_transcript c(prompt_with_ids{"Hi"});
    c.append(event("a", {3}, 1));
    c.append(event("X", {5}, 3));  // the event with id 4 was lost
    c.append(event("b", {6}, 4));
    c.append(event("Y", {9}, 7));  // the events with ids 7 and 8 were lost
    c.on_prompt_tokenized({1, 2});
    EXPECT_THAT(c.texts_with_missing_ids(), ElementsAre("X", "Y"));
    EXPECT_THAT(ids_of(c), ElementsAre(-1));
    const std::vector<tandem::wire::token_id> answer{4, 5, 0, 7, 8, 9, 0};
    c.set_recovered_ids(answer);
    EXPECT_THAT(ids_of(c), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
    EXPECT_THAT(c.texts_with_missing_ids(), IsEmpty());
}

struct misfit {
    const char* name;
    std::vector<tandem::wire::token_id> answer;
};
class continuation_misfit : public testing::TestWithParam<misfit> {};

TEST_P(continuation_misfit, is_refused_for_text) {
    reply_transcript c(prompt_with_ids{"Hi"});
    c.on_prompt_tokenized({1, 2});
    c.append(event("X", {5}, 2));
    c.set_recovered_ids(GetParam().answer);
    EXPECT_FALSE(c.next_prompt().as_ids());
    EXPECT_EQ(c.next_prompt().text, "HiX");
    c.append(event("b", {6}, 3));
    EXPECT_FALSE(c.next_prompt().as_ids());
}
INSTANTIATE_TEST_SUITE_P(answers, continuation_misfit,
                         testing::Values(misfit{"none", {}}, misfit{"too_few", {5, 0}},
                                         misfit{"too_many", {3, 4, 5, 0}},
                                         misfit{"another_last_id", {4, 6, 0}},
                                         misfit{"no_separator", {4, 5}}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(reply_transcript, is_text_where_events_carry_no_ids) {
    reply_transcript c(prompt_with_ids{"Hi"});
    c.on_prompt_tokenized({1, 2});
    c.append(event("a", {}, 1));
    EXPECT_FALSE(c.next_prompt().as_ids());
    EXPECT_THAT(c.texts_with_missing_ids(), IsEmpty());
}

TEST(reply_transcript, counts_the_tokens_it_keeps_over_requests) {
    reply_transcript c(prompt_with_ids{"Hi"});
    c.begin_request();
    c.append(event("a", {3}, 1));
    c.append(event("", {4}, 2));
    EXPECT_EQ(c.kept_tokens(), 1);
    c.begin_request();
    EXPECT_EQ(c.kept_tokens(), 1);
    c.append(event("b", {5}, 1));
    EXPECT_EQ(c.kept_tokens(), 2);
    c.on_prompt_tokenized({1, 2});
    EXPECT_THAT(ids_of(c), ElementsAre(1, 2, 3, 5));
}

TEST(reply_transcript, counts_tokens_itself_where_the_server_does_not) {
    reply_transcript c(prompt_with_ids{"Hi"});
    c.on_prompt_tokenized({1, 2});
    c.append(event("a", {3}, 0));
    c.append(event("b", {4}, 0));
    EXPECT_EQ(c.kept_tokens(), 2);
    EXPECT_THAT(ids_of(c), ElementsAre(1, 2, 3, 4));
}

// Of two events with half a character each, completion_reader returns the first one without text.
TEST(reply_transcript, knows_the_ids_of_events_whose_text_was_held_for_a_whole_character) {
    reply_transcript c(prompt_with_ids{"Hi"});
    c.on_prompt_tokenized({1, 2});
    c.append(event("a", {3}, 1));
    c.append(event("", {4}, 2));
    auto second = event("b\xE2\x82\xAC", {5}, 3);
    second.events = 2;
    c.append(second);
    EXPECT_EQ(c.kept_tokens(), 3);
    EXPECT_THAT(c.texts_with_missing_ids(), IsEmpty());
    EXPECT_THAT(ids_of(c), ElementsAre(1, 2, 3, 4, 5));
}

TEST(reply_transcript, continues_from_before_an_event_whose_text_was_held) {
    for (const bool as_ids : {true, false}) {
        reply_transcript c(prompt_with_ids{"Hi"});
        if (as_ids) c.on_prompt_tokenized({1, 2});
        c.append(event("a", {3}, 1));
        c.append(event("", {4}, 2));
        c.record_cut();
        c.begin_request();
        if (as_ids)
            EXPECT_THAT(ids_of(c), ElementsAre(1, 2, 3));
        else
            EXPECT_EQ(c.next_prompt().text, "Hia");
        c.append(event("b\xE2\x82\xAC", {5}, 2));
        EXPECT_EQ(c.text(), "Hiab\xE2\x82\xAC");
        EXPECT_EQ(c.kept_tokens(), 3);
    }
}

TEST(reply_transcript, counts_the_events_of_a_text_where_the_server_counts_no_tokens) {
    reply_transcript c(prompt_with_ids{"Hi"});
    c.append(event("a", {}, 0));
    auto held = event("\xE2\x82\xAC", {}, 0);
    held.events = 3;
    c.append(held);
    EXPECT_EQ(c.kept_tokens(), 4);
}

TEST(reply_transcript, takes_only_the_first_answer_for_the_prompt) {
    reply_transcript c(prompt_with_ids{"Hi"});
    c.append(event("a", {3}, 1));
    c.on_prompt_tokenized({1, 2});
    c.on_prompt_tokenized({8, 9});
    EXPECT_THAT(ids_of(c), ElementsAre(1, 2, 3));
}

// The stop word is inside a token, or follows withheld tokens. The ids that arrive with the last
// text include the stop word, so a request that continued from them would continue after it.
struct stop_row {
    const char* name;
    std::vector<token_event> events;
    std::vector<tandem::wire::token_id> tokenized;  // ids from /tokenize for the last text
};
class stop_words : public testing::TestWithParam<stop_row> {};

TEST_P(stop_words, that_came_with_the_last_text_are_not_gone_on_from) {
    reply_transcript c(prompt_with_ids{"Hi"}, true);
    c.on_prompt_tokenized({1, 2});
    for (const auto& e : GetParam().events) c.append(e);
    c.record_cut();
    auto ids = GetParam().tokenized;
    ids.push_back(reply_transcript::separator);
    EXPECT_THAT(c.texts_with_missing_ids(), ElementsAre(GetParam().events.back().content));
    c.set_recovered_ids(ids);
    EXPECT_THAT(ids_of(c), ElementsAre(-1));
}

INSTANTIATE_TEST_SUITE_P(
    places, stop_words,
    testing::Values(stop_row{"inside_a_token", {event("Yes", {3}, 1), event("!", {40}, 2)}, {4}},
                    stop_row{"after_withheld_tokens",
                             {event("Yes", {3}, 1), event("", {4}, 2), event("!", {5}, 3)},
                             {6}},
                    stop_row{
                        "never_but_the_end_token", {event("", {4}, 1), event("ST", {2}, 2)}, {4}}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(reply_transcript, keeps_its_ids_where_the_last_text_holds_no_stop_word) {
    reply_transcript c(prompt_with_ids{"Hi"}, true);
    c.on_prompt_tokenized({1, 2});
    c.append(event("", {3}, 1));
    c.append(event("ab", {4}, 2));
    c.record_cut();
    EXPECT_THAT(c.texts_with_missing_ids(), ElementsAre("ab"));
    c.set_recovered_ids(std::vector<tandem::wire::token_id>{3, 4, reply_transcript::separator});
    EXPECT_THAT(ids_of(c), ElementsAre(1, 2, 3, 4));
}

TEST(reply_transcript, asks_for_no_sure_ids_where_there_are_no_stop_words) {
    reply_transcript c(prompt_with_ids{"Hi"});
    c.append(event("a", {3}, 1));
    c.record_cut();
    EXPECT_THAT(c.texts_with_missing_ids(), IsEmpty());
}

// A request is cut, and then its server is lost while no request runs.
TEST(reply_transcript, is_cut_once_where_nothing_was_read_since) {
    reply_transcript c(prompt_with_ids{"Hi"}, true);
    c.append(event("a", {3}, 1));
    c.on_prompt_tokenized({1, 2});
    c.record_cut();
    c.record_cut();
    EXPECT_THAT(c.texts_with_missing_ids(), ElementsAre("a"));
    const std::vector<tandem::wire::token_id> answer{3, 0};
    c.set_recovered_ids(answer);
    c.record_cut();
    EXPECT_THAT(c.texts_with_missing_ids(), IsEmpty()) << "its ids are known";
    EXPECT_THAT(ids_of(c), ElementsAre(1, 2, 3));
}

// The withheld text becomes too long, so the joiner passes it on without the half character at its
// end and without its ids.
TEST(reply_transcript, continues_as_text_where_half_a_character_was_too_much_to_hold) {
    reply_transcript c(prompt_with_ids{"Hi"});
    c.on_prompt_tokenized({1, 2});
    tandem::wire::utf8_event_joiner stream;
    const std::string half(tandem::wire::max_withheld_bytes / 2 + 1, 'a');
    auto first = event(half + "\xC3", {3}, 1);
    auto second = event("\xA9" + half + "\xC3", {4}, 2);
    for (auto* e : {&first, &second}) {
        stream.join(*e);
        c.append(*e);
    }
    const auto handed_on = half + "\xC3\xA9" + half;
    EXPECT_TRUE(c.generated() == handed_on);
    EXPECT_THAT(ids_of(c), ElementsAre(-1));
    // The server's ids for the delivered text cannot replace the generated ids, which include the
    // half character.
    c.set_recovered_ids(std::vector<tandem::wire::token_id>{3, 9, reply_transcript::separator});
    EXPECT_THAT(ids_of(c), ElementsAre(-1));
    EXPECT_TRUE(c.next_prompt().text == "Hi" + handed_on);
}

}  // namespace

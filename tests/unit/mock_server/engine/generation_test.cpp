#include "engine/generation.hpp"

#include "answers/stop_strings.hpp"

#include <gtest/gtest.h>

namespace tandem::mock {
namespace {

constexpr int much_room = 1000;

completion_request streaming(std::vector<std::string> stop = {}, int n_predict = -1) {
    completion_request r;
    r.stream = true;
    r.stop = std::move(stop);
    r.n_predict = n_predict;
    return r;
}

// The content of each event. Tokens without an event are omitted.
std::vector<std::string> events_of(generation& g, int room = much_room) {
    std::vector<std::string> contents;
    while (!g.finished()) {
        const sampled_token s = g.generate_token(room--);
        if (s.has_event) contents.push_back(s.content);
    }
    return contents;
}

using texts = std::vector<std::string>;

TEST(generation, sends_each_token_and_an_empty_one_at_the_end_of_the_turn) {
    generation g(streaming(), "Hi there.");
    EXPECT_EQ(events_of(g), (texts{"Hi", " there", ".", ""}));
    EXPECT_EQ(g.stop(), stop_kind::eos);
    EXPECT_EQ(g.predicted(), 4);
}

TEST(generation, sends_a_character_of_several_tokens_with_the_last_of_them) {
    generation g(streaming(), "caf\xC3\xA9!");
    EXPECT_EQ(g.generate_token(much_room).content, "caf");
    EXPECT_FALSE(g.generate_token(much_room).has_event);
    const sampled_token whole = g.generate_token(much_room);
    EXPECT_EQ(whole.content, "\xC3\xA9");
    EXPECT_EQ(whole.id, 169);
    EXPECT_EQ(g.predicted(), 3);
}

TEST(generation, never_sends_half_a_character_at_a_limit) {
    generation g(streaming({}, 2), "a\xC3\xA9");
    EXPECT_EQ(events_of(g), (texts{"a"}));
    EXPECT_EQ(g.stop(), stop_kind::limit);
}

TEST(generation, keeps_half_a_character_in_an_answer_in_one_piece) {
    completion_request r;
    r.n_predict = 2;
    generation g(r, "a\xC3\xA9");
    events_of(g);
    EXPECT_EQ(g.text(), "a\xC3");
}

TEST(generation, leaves_a_stop_string_out) {
    generation g(streaming({"STOP"}), "Go on STOP never");
    EXPECT_EQ(events_of(g), (texts{"Go", " on", "", "", "", " "}));
    EXPECT_EQ(g.stop(), stop_kind::word);
    EXPECT_EQ(g.stopping_word(), "STOP");
}

TEST(generation, releases_text_that_did_not_become_a_stop_string) {
    generation g(streaming({"Stop it"}), "Stop now");
    EXPECT_EQ(events_of(g), (texts{"", "Stop now", ""}));
}

TEST(generation, releases_held_text_at_the_end_of_the_turn) {
    generation g(streaming({"STOP"}), "ST");
    EXPECT_EQ(events_of(g), (texts{"", "", "ST"}));
    EXPECT_EQ(g.stop(), stop_kind::eos);
}

TEST(generation, loses_the_full_stop_to_a_stop_string_that_begins_with_it) {
    generation g(streaming({". "}), "One. Two.");
    EXPECT_EQ(events_of(g), (texts{"One", "", ""}));
}

TEST(generation, stops_at_the_first_of_several_stop_strings) {
    generation g(streaming({"three", "two"}), "one two three");
    events_of(g);
    EXPECT_EQ(g.stopping_word(), "two");
}

TEST(generation, predicts_one_token_when_asked_for_none) {
    generation g(streaming({}, 0), "Hi there");
    EXPECT_EQ(events_of(g), (texts{"Hi"}));
    EXPECT_EQ(g.stop(), stop_kind::limit);
}

TEST(generation, is_truncated_if_the_context_is_full) {
    generation g(streaming(), "one two three four");
    EXPECT_EQ(events_of(g, 3), (texts{"one", " two", " three"}));
    EXPECT_EQ(g.stop(), stop_kind::limit);
    EXPECT_TRUE(g.truncated());
}

TEST(generation, repeats_itself_when_it_must_not_end) {
    completion_request r = streaming({}, 5);
    r.ignore_eos = true;
    generation g(r, "a b.");
    EXPECT_EQ(events_of(g), (texts{"a", " b", ".", "a", " b"}));
}

TEST(generation, notices_a_new_line) {
    generation g(streaming(), "a\nb");
    events_of(g);
    EXPECT_TRUE(g.has_new_line());
}

TEST(text_hold, sees_whether_a_character_lacks_bytes) {
    const struct {
        std::string text;
        bool lacks;
    } table[] = {
        {"", false},        {"a", false},
        {"\xC3", true},     {"\xC3\xA9", false},
        {"\xE2\x82", true}, {"\xE2\x82\xAC", false},
        {"\xF0\x9F", true}, {"\xA9", false},
        {"\xFF", false},    {"a\xF0\x9F\x98", true},
    };
    for (const auto& row : table) EXPECT_EQ(ends_inside_character(row.text), row.lacks) << row.text;
}

}  // namespace
}  // namespace tandem::mock

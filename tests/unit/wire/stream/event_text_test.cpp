#include "wire/stream/event_text.hpp"

#include "wire/json/bounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace {

using tandem::wire::event_text;
using tandem::wire::token_event;
using testing::ElementsAre;
using testing::IsEmpty;
using kind = token_event::kind;

token_event joined(event_text& text, std::string content, kind what = kind::token) {
    token_event e;
    e.what = what;
    e.content = std::move(content);
    text.join(e);
    return e;
}

std::vector<std::string> joined_all(const std::vector<std::string>& contents) {
    event_text text;
    std::vector<std::string> all;
    for (const auto& c : contents) all.push_back(joined(text, c).content);
    return all;
}

TEST(event_text, passes_valid_text_through_as_it_comes) {
    EXPECT_THAT(joined_all({"Hi", "", " \xE2\x82\xAC"}), ElementsAre("Hi", "", " \xE2\x82\xAC"));
}

TEST(event_text, holds_all_of_an_event_that_ends_inside_a_character) {
    EXPECT_THAT(joined_all({"a\xE2\x82", "\xAC", "c"}), ElementsAre("", "a\xE2\x82\xAC", "c"));
}

TEST(event_text, puts_a_character_together_that_comes_a_byte_at_a_time) {
    EXPECT_THAT(joined_all({"\xF0", "\x9F", "\x98", "\x80!"}),
                ElementsAre("", "", "", "\xF0\x9F\x98\x80!"));
}

TEST(event_text, holds_on_where_the_next_event_ends_inside_a_character_too) {
    EXPECT_THAT(joined_all({"\xC3", "\xA9\xC3", "\xA8"}), ElementsAre("", "", "\xC3\xA9\xC3\xA8"));
}

TEST(event_text, replaces_at_once_what_can_never_become_a_character) {
    EXPECT_THAT(joined_all({"a\xFF", "\xAC", "\xED\xA0"}),
                ElementsAre("a\xEF\xBF\xBD", "\xEF\xBF\xBD", "\xEF\xBF\xBD\xEF\xBF\xBD"));
}

TEST(event_text, replaces_half_a_character_once_another_begins) {
    EXPECT_THAT(joined_all({"a\xE2\x82", "b"}), ElementsAre("",
                                                            "a\xEF\xBF\xBD"
                                                            "b"));
}

TEST(event_text, keeps_half_a_character_over_events_without_text) {
    event_text text;
    joined(text, "\xE2\x82");
    EXPECT_EQ(joined(text, "").content, "");
    EXPECT_EQ(joined(text, "", kind::progress).content, "");
    EXPECT_EQ(joined(text, "\xAC").content, "\xE2\x82\xAC");
}

TEST(event_text, ends_with_the_final_event) {
    event_text text;
    joined(text, "a\xE2\x82");
    EXPECT_EQ(joined(text, "", kind::final).content, "a\xEF\xBF\xBD");
    EXPECT_EQ(joined(text, "", kind::final).content, "");
}

TEST(event_text, completes_a_character_with_the_final_event) {
    event_text text;
    joined(text, "\xE2\x82");
    EXPECT_EQ(joined(text, "\xAC\xF0\x9F", kind::final).content, "\xE2\x82\xAC\xEF\xBF\xBD");
}

TEST(event_text, tells_of_how_many_events_a_text_is) {
    event_text text;
    EXPECT_EQ(joined(text, "a").events, 1);
    joined(text, "\xE2");
    joined(text, "\x82");
    EXPECT_EQ(joined(text, "\xAC").events, 3);
    EXPECT_EQ(joined(text, "\xFF").events, 1);
    joined(text, "\xE2");
    joined(text, "\x82");
    EXPECT_EQ(joined(text, "", kind::final).events, 2);
}

TEST(event_text, hands_on_what_is_too_much_to_hold) {
    event_text text;
    const std::string half(tandem::wire::max_withheld_bytes / 2 + 1, 'a');
    EXPECT_EQ(joined(text, half + "\xE2").content, "");
    EXPECT_EQ(joined(text, half + "\xE2\x82").content, half + "\xEF\xBF\xBD" + half);
    EXPECT_EQ(joined(text, "\xAC").content, "\xE2\x82\xAC");
}

TEST(event_text, takes_the_id_from_text_that_is_handed_on_without_half_a_character) {
    event_text text;
    token_event e;
    e.content = std::string(tandem::wire::max_withheld_bytes + 1, 'a') + "\xE2";
    e.tokens = {7};
    text.join(e);
    EXPECT_THAT(e.tokens, IsEmpty());
    e.content = "\x82\xAC";
    e.tokens = {8};
    text.join(e);
    EXPECT_EQ(e.content, "\xE2\x82\xAC");
    EXPECT_THAT(e.tokens, ElementsAre(8));
}

TEST(event_text, replaces_half_a_character_that_waited_alone) {
    event_text text;
    joined(text, std::string(tandem::wire::max_withheld_bytes + 1, 'a') + "\xE2");
    EXPECT_EQ(joined(text, "b").content,
              "\xEF\xBF\xBD"
              "b");
}

}  // namespace

#include "wire/stream/utf8_event_joiner.hpp"

#include "wire/json/wire_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace {

using tandem::wire::token_event;
using tandem::wire::utf8_event_joiner;
using testing::ElementsAre;
using testing::IsEmpty;
using kind = token_event::kind;

token_event joined(utf8_event_joiner& text, std::string content, kind what = kind::token) {
    token_event e;
    e.what = what;
    e.content = std::move(content);
    text.join(e);
    return e;
}

std::vector<std::string> joined_all(const std::vector<std::string>& contents) {
    utf8_event_joiner text;
    std::vector<std::string> all;
    for (const auto& c : contents) all.push_back(joined(text, c).content);
    return all;
}

TEST(utf8_event_joiner, passes_valid_text_through_as_it_comes) {
    EXPECT_THAT(joined_all({"Hi", "", " \xE2\x82\xAC"}), ElementsAre("Hi", "", " \xE2\x82\xAC"));
}

TEST(utf8_event_joiner, holds_all_of_an_event_that_ends_inside_a_character) {
    EXPECT_THAT(joined_all({"a\xE2\x82", "\xAC", "c"}), ElementsAre("", "a\xE2\x82\xAC", "c"));
}

TEST(utf8_event_joiner, puts_a_character_together_that_comes_a_byte_at_a_time) {
    EXPECT_THAT(joined_all({"\xF0", "\x9F", "\x98", "\x80!"}),
                ElementsAre("", "", "", "\xF0\x9F\x98\x80!"));
}

TEST(utf8_event_joiner, holds_on_if_the_next_event_ends_inside_a_character_too) {
    EXPECT_THAT(joined_all({"\xC3", "\xA9\xC3", "\xA8"}), ElementsAre("", "", "\xC3\xA9\xC3\xA8"));
}

TEST(utf8_event_joiner, replaces_at_once_what_can_never_become_a_character) {
    EXPECT_THAT(joined_all({"a\xFF", "\xAC", "\xED\xA0"}),
                ElementsAre("a\xEF\xBF\xBD", "\xEF\xBF\xBD", "\xEF\xBF\xBD\xEF\xBF\xBD"));
}

TEST(utf8_event_joiner, replaces_half_a_character_once_another_begins) {
    EXPECT_THAT(joined_all({"a\xE2\x82", "b"}), ElementsAre("",
                                                            "a\xEF\xBF\xBD"
                                                            "b"));
}

TEST(utf8_event_joiner, keeps_half_a_character_over_events_without_text) {
    utf8_event_joiner text;
    joined(text, "\xE2\x82");
    EXPECT_EQ(joined(text, "").content, "");
    EXPECT_EQ(joined(text, "", kind::progress).content, "");
    EXPECT_EQ(joined(text, "\xAC").content, "\xE2\x82\xAC");
}

TEST(utf8_event_joiner, ends_with_the_final_event) {
    utf8_event_joiner text;
    joined(text, "a\xE2\x82");
    EXPECT_EQ(joined(text, "", kind::final).content, "a\xEF\xBF\xBD");
    EXPECT_EQ(joined(text, "", kind::final).content, "");
}

TEST(utf8_event_joiner, completes_a_character_with_the_final_event) {
    utf8_event_joiner text;
    joined(text, "\xE2\x82");
    EXPECT_EQ(joined(text, "\xAC\xF0\x9F", kind::final).content, "\xE2\x82\xAC\xEF\xBF\xBD");
}

TEST(utf8_event_joiner, reports_how_many_events_a_text_is) {
    utf8_event_joiner text;
    EXPECT_EQ(joined(text, "a").events, 1);
    joined(text, "\xE2");
    joined(text, "\x82");
    EXPECT_EQ(joined(text, "\xAC").events, 3);
    EXPECT_EQ(joined(text, "\xFF").events, 1);
    joined(text, "\xE2");
    joined(text, "\x82");
    EXPECT_EQ(joined(text, "", kind::final).events, 2);
}

TEST(utf8_event_joiner, hands_on_what_is_too_much_to_hold) {
    utf8_event_joiner text;
    const std::string half(tandem::wire::max_withheld_bytes / 2 + 1, 'a');
    EXPECT_EQ(joined(text, half + "\xE2").content, "");
    EXPECT_EQ(joined(text, half + "\xE2\x82").content, half + "\xEF\xBF\xBD" + half);
    EXPECT_EQ(joined(text, "\xAC").content, "\xE2\x82\xAC");
}

TEST(utf8_event_joiner, takes_the_id_from_text_that_is_handed_on_without_half_a_character) {
    utf8_event_joiner text;
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

TEST(utf8_event_joiner, replaces_half_a_character_that_waited_alone) {
    utf8_event_joiner text;
    joined(text, std::string(tandem::wire::max_withheld_bytes + 1, 'a') + "\xE2");
    EXPECT_EQ(joined(text, "b").content,
              "\xEF\xBF\xBD"
              "b");
}

}  // namespace

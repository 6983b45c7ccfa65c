// Cuts of requests with stop words. A stop word may follow the text that ends a chunk, so the reply
// waits briefly for the next event before the cut.

#include "reply/machine/reply_machine.hpp"
#include "support/machine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace std::chrono_literals;
using tandem::test::machine_driver;
using tandem::wire::stop_type;
using testing::ElementsAre;
using testing::IsEmpty;

// Each token is a chunk.
machine_driver with_stop_words(tandem::duration peek_hold = 250ms) {
    auto rules = machine_driver::default_rules();
    rules.has_stop_words = true;
    rules.peek_hold = peek_hold;
    machine_driver d(rules, {.first_min_tokens = 0, .first_max_tokens = 1, .max_tokens = 1});
    d.begin();
    return d;
}

TEST(stop_word, that_came_with_the_last_text_of_a_chunk_ends_the_reply) {
    auto d = with_stop_words();
    d.token("Why");
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 'Why' limit"));
    d.final(stop_type::word);
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0"));
    d.ask();
    EXPECT_THAT(d.wants(), ElementsAre("end stop_word"));
}

TEST(stop_word, did_not_come_if_a_token_follows) {
    auto d = with_stop_words();
    d.token("Why", 11);
    d.token(" did", 12);
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 'Why' limit", "close", "release 0"));
    d.go_on(0);
    d.grant(1);
    EXPECT_THAT(d.wants(), ElementsAre("slot?", "send 1 n=-1 101,11"));
}

TEST(stop_word, did_not_come_if_a_token_follows_whose_text_is_held) {
    auto d = with_stop_words();
    d.token("Why", 11);
    d.token("", 12);
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 'Why' limit", "close", "release 0"));
}

TEST(stop_word, is_not_waited_for_longer_than_a_moment) {
    auto d = with_stop_words();
    d.token("Why");
    d.wants();
    d.pass(99ms);
    d.deadline();
    EXPECT_THAT(d.wants(), IsEmpty());
    d.pass(1ms);
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "recover Why"));
}

TEST(stop_word, is_waited_for_in_each_request_again) {
    auto d = with_stop_words();
    d.tokens("Why", " did");
    d.go_on(0);
    d.grant(1);
    d.ask();
    d.wants();
    d.token(" did");
    EXPECT_THAT(d.wants(), ElementsAre("chunk 1 ' did' limit"));
    d.token(" you");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 1"));
}

TEST(stop_word, is_waited_for_if_a_boundary_is_not) {
    auto d = with_stop_words(0ms);
    d.token("Why");
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 'Why' limit"));
}

TEST(stop_word, would_have_come_while_the_peek_was_waited_for) {
    auto rules = machine_driver::default_rules();
    rules.has_stop_words = true;
    machine_driver d(rules);
    d.begin();
    d.tokens("Hello", "!");
    d.pass(250ms);
    d.deadline();
    EXPECT_THAT(d.wants(),
                ElementsAre("close", "release 0", "chunk 0 'Hello!' sentence", "recover !"));
}

TEST(stop_word, is_waited_for_at_a_boundary_that_is_reported_once) {
    auto rules = machine_driver::default_rules();
    rules.has_stop_words = true;
    machine_driver d(rules);
    d.begin();
    d.tokens("Hello", "!", " You");
    d.go_on(0);
    d.final();
    d.interrupt();
    const auto& timeline = d.machine.result().timeline;
    EXPECT_EQ(std::ranges::count(timeline, tandem::timeline_event::kind::boundary,
                                 &tandem::timeline_event::what),
              1);
}

}  // namespace

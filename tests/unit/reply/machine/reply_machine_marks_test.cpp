// Replies of models whose template puts marks around the words of a reply.

#include "support/machine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace {

using tandem::detail::reply_origin;
using tandem::test::machine_driver;
using tandem::text::reply_delimiters;
using testing::Contains;

const reply_delimiters recipient{.opening = ">>>all\n"};
const reply_delimiters part{.opening = "<words>", .closing = "</words>"};

class marked_words : public testing::Test {
 protected:
    void start(reply_origin from) {
        d.ask();
        d.start(std::move(from));
        d.grant(0);
        d.wants();
    }

    machine_driver d;
};

TEST_F(marked_words, are_spoken_without_their_marks_which_stay_in_the_text) {
    start({.prompt = {.text = "P>>>"}, .word_marks = recipient});
    d.tokens("all", "\n", "Hello", "!", " How");
    EXPECT_THAT(d.wants(), Contains("chunk 0 'Hello!' sentence"));
    EXPECT_EQ(d.machine.text(), "P>>>all\nHello! How");
}

TEST_F(marked_words, end_where_a_call_begins_like_them) {
    start({.prompt = {.text = "P>>>"}, .call_mark = ">>>", .word_marks = recipient});
    d.tokens("all", "\n", "One", " moment", ".", ">>>", "f", "\n{}");
    EXPECT_THAT(d.wants(), Contains("chunk 0 'One moment.' end"));
    d.final();
    EXPECT_THAT(d.wants(), Contains("parse 'all\nOne moment.>>>f\n{}' on 0"));
    EXPECT_EQ(d.machine.call_text(), ">>>f\n{}");
}

TEST_F(marked_words, may_be_preceded_by_nothing_but_a_call) {
    start({.prompt = {.text = "P>>>"}, .call_mark = ">>>", .word_marks = recipient});
    d.tokens("f", "\n{}");
    d.final();
    EXPECT_THAT(d.wants(), Contains("parse 'f\n{}' on 0"));
    EXPECT_EQ(d.machine.call_text(), ">>>f\n{}");
}

TEST_F(marked_words, get_their_mark_if_another_process_generated_them) {
    d.ask();
    d.start({.prompt = {.text = "P>>>"},
             .begun = tandem::detail::begun_text{"Hello! How", " How"},
             .spoken = "Hello!",
             .word_marks = recipient});
    EXPECT_EQ(d.machine.text(), "P>>>all\nHello! How");
}

TEST_F(marked_words, keep_their_marks_when_a_reply_is_resumed) {
    start({.prompt = {.text = "P"}, .word_marks = part});
    d.tokens("<words>", "Hello", "!", " How");
    d.interrupt();
    d.wants();
    auto rest = d.machine.take_remainder();
    machine_driver next;
    next.ask();
    next.start({.rest = std::move(rest), .word_marks = part});
    next.grant(0);
    next.tokens(" are", " you", "?", "</words>", "<end>");
    next.final();
    EXPECT_THAT(next.wants(), Contains("chunk 0 ' How are you?' end"));
}

TEST_F(marked_words, keep_withheld_text_when_the_resumed_reply_may_call) {
    start({.prompt = {.text = "P"}, .word_marks = part});
    d.tokens("<words>", "Hello", " </wor");
    d.interrupt();
    d.wants();
    auto rest = d.machine.take_remainder();
    machine_driver next;
    next.ask();
    next.start({.rest = std::move(rest), .call_mark = "<call>", .word_marks = part});
    next.grant(0);
    next.tokens("ld>", "</words>", "<end>");
    next.final();
    EXPECT_THAT(next.wants(), Contains("chunk 0 'Hello </world>' end"));
}

TEST_F(marked_words, end_at_their_mark_after_the_text_of_another_process) {
    d.ask();
    d.start({.prompt = {.text = "P"},
             .begun = tandem::detail::begun_text{"Hello! How", " How"},
             .spoken = "Hello!",
             .word_marks = part});
    d.recovered({1, 2, 3});
    d.grant(0);
    d.tokens(" are", " you", "?", "</words>", "<end>");
    d.final();
    EXPECT_THAT(d.wants(), Contains("chunk 0 ' How are you?' end"));
}

}  // namespace

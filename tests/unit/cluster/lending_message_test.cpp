#include "cluster/lending_message.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace {

using namespace std::chrono_literals;
using tandem::cluster::lending_message;
using tandem::cluster::parse_lending_message;
using tandem::slots::request_kind;

TEST(lending_message, reports_a_wish) {
    const auto m = parse_lending_message("wish a-1 continuation -20");
    ASSERT_TRUE(m);
    EXPECT_EQ(m->kind, lending_message::kind::wish);
    EXPECT_EQ(m->gateway, "a-1");
    EXPECT_EQ(m->wished_for, request_kind::continuation);
    EXPECT_EQ(m->due_in, -20ms);
}

TEST(lending_message, reports_the_end_of_a_wish) {
    const auto m = parse_lending_message("end a-1");
    ASSERT_TRUE(m);
    EXPECT_EQ(m->kind, lending_message::kind::end);
    EXPECT_EQ(m->gateway, "a-1");
}

TEST(lending_message, reports_a_loan) {
    const auto m = parse_lending_message("lent a-1 3 17 250");
    ASSERT_TRUE(m);
    EXPECT_EQ(m->kind, lending_message::kind::lent);
    EXPECT_EQ(m->lent.slot, 3);
    EXPECT_EQ(m->lent.number, 17u);
    EXPECT_EQ(m->lent.unused_for, 250ms);
    EXPECT_FALSE(m->lent.is_doubtful);
}

TEST(lending_message, reports_that_the_last_use_is_unknown) {
    EXPECT_EQ(parse_lending_message("lent a-1 3 17 -1")->lent.unused_for, std::nullopt);
}

TEST(lending_message, is_nothing_else) {
    for (const auto* text : {"",
                             " ",
                             "wish",
                             "end",
                             "end ",
                             "lent",
                             "wish a",
                             "wish a turn",
                             "wish a turn x",
                             "wish a other 1",
                             "wish a turn 1 2",
                             "wish a turn 9999999999999999999",
                             "end a b",
                             "lent a 1 2",
                             "lent a -1 2 3",
                             "lent a 1024 2 3",
                             "lent a 1 -2 3",
                             "lent a 1 2 3 4",
                             "lent a 1 2 1e3",
                             "grant a 1 2 3"})
        EXPECT_FALSE(parse_lending_message(text)) << text;
}

}  // namespace

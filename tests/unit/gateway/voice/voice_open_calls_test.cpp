#include "gateway/voice/voice_open_calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const time_point in_a_minute{1min};

class two_open_calls : public ::testing::Test {
 protected:
    two_open_calls() {
        calls.add_sent_calls(std::vector<tool_call>{{.id = "a"}, {.id = "b"}}, in_a_minute);
    }
    voice_open_calls calls;
};

TEST_F(two_open_calls, are_complete_when_each_has_its_result) {
    EXPECT_TRUE(calls.set_result("b", "two"));
    EXPECT_TRUE(calls.is_open());
    EXPECT_FALSE(calls.is_complete());
    EXPECT_TRUE(calls.set_result("a", "one"));
    EXPECT_FALSE(calls.is_open());
    EXPECT_TRUE(calls.is_complete());
}

TEST_F(two_open_calls, have_results_in_their_own_order) {
    calls.set_result("b", "two");
    calls.set_result("a", "one");
    EXPECT_THAT(calls.take_results(),
                ElementsAre(call_result{"a", "one"}, call_result{"b", "two"}));
    EXPECT_FALSE(calls.is_pending());
    EXPECT_THAT(calls.take_results(), IsEmpty()) << "once";
}

TEST_F(two_open_calls, take_one_result_each) {
    EXPECT_FALSE(calls.set_result("c", "three"));
    EXPECT_TRUE(calls.set_result("a", "one"));
    EXPECT_FALSE(calls.set_result("a", "again"));
    EXPECT_EQ(calls.drop_open_calls(), std::vector<std::string>{"b"});
    EXPECT_FALSE(calls.set_result("b", "late"));
    EXPECT_THAT(calls.take_results(), ElementsAre(call_result{"a", "one"}));
}

TEST_F(two_open_calls, have_a_deadline_while_they_are_open) {
    EXPECT_EQ(calls.deadline(), in_a_minute);
    calls.set_result("a", "one");
    EXPECT_EQ(calls.deadline(), in_a_minute);
    EXPECT_THAT(calls.drop_all_with_result("late"), ElementsAre("b"));
    EXPECT_EQ(calls.deadline(), std::nullopt);
    EXPECT_THAT(calls.take_results(),
                ElementsAre(call_result{"a", "one"}, call_result{"b", "late", false}));
}

TEST_F(two_open_calls, may_have_another_result_for_now) {
    EXPECT_TRUE(calls.set_interim_result("a", "later"));
    EXPECT_FALSE(calls.set_interim_result("a", "later"));
    EXPECT_TRUE(calls.set_interim_result("b", "later"));
    EXPECT_TRUE(calls.is_complete());
    EXPECT_TRUE(calls.set_result("a", "one"));
    EXPECT_FALSE(calls.set_result("a", "again"));
    EXPECT_THAT(calls.take_results(),
                ElementsAre(call_result{"a", "one"}, call_result{"b", "later", false}));
    EXPECT_FALSE(calls.accepts_late_result("a", true)) << "its result is final";
    EXPECT_TRUE(calls.accepts_late_result("b", false));
}

TEST_F(two_open_calls, are_late_once_and_until_later_replies_end) {
    calls.set_interim_result("a", "later");
    calls.set_result("b", "two");
    calls.take_results();
    calls.begin_reply();
    EXPECT_TRUE(calls.accepts_late_result("a", false));
    calls.forget_late("a");
    EXPECT_FALSE(calls.accepts_late_result("a", false));
}

TEST_F(two_open_calls, have_late_results_after_they_were_dropped_only_if_these_are_kept) {
    calls.set_interim_result("a", "later");
    calls.drop_open_calls();
    EXPECT_FALSE(calls.accepts_late_result("b", false));
    EXPECT_TRUE(calls.accepts_late_result("b", true));
}

TEST_F(two_open_calls, accept_a_result_after_their_time_only_if_it_is_kept) {
    calls.drop_all_with_result("too slow");
    EXPECT_FALSE(calls.set_result("a", "one"));
    EXPECT_TRUE(calls.set_result("a", "one", true));
    EXPECT_THAT(calls.take_results(),
                ElementsAre(call_result{"a", "one"}, call_result{"b", "too slow", false}));
    EXPECT_TRUE(calls.accepts_late_result("b", true));
    EXPECT_FALSE(calls.accepts_late_result("b", false));
}

TEST_F(two_open_calls, are_late_for_another_gateway_until_their_results_are_taken) {
    calls.set_interim_result("a", "later");
    EXPECT_THAT(calls.list_late_calls(), ElementsAre(late_call{"a"}, late_call{"b", true}));
    EXPECT_THAT(calls.list_open(), ElementsAre("b"));
    calls.set_result("b", "two");
    EXPECT_THAT(calls.list_late_calls(), ElementsAre(late_call{"a"}, late_call{"b"}));
    calls.take_results();
    EXPECT_THAT(calls.list_late_calls(), ElementsAre(late_call{"a"}));
}

TEST_F(two_open_calls, count_the_bytes_of_their_results) {
    calls.set_result("a", "one");
    calls.set_interim_result("b", "later");
    EXPECT_EQ(calls.result_bytes(), 3u);
    calls.begin_reply();
    EXPECT_EQ(calls.result_bytes(), 0u);
}

TEST_F(two_open_calls, were_made_whatever_becomes_of_them) {
    calls.drop_open_calls();
    EXPECT_TRUE(calls.has_reply_called());
    EXPECT_FALSE(calls.is_pending());
    EXPECT_FALSE(voice_open_calls().has_reply_called());
}

TEST(open_calls, are_bounded) {
    voice_open_calls calls;
    calls.add_sent_calls(std::vector<tool_call>(max_sent_calls + 1), in_a_minute);
    EXPECT_THAT(calls.drop_open_calls(), SizeIs(max_sent_calls));
    calls.begin_reply();
    calls.add_sent_calls(std::vector<tool_call>(max_sent_calls, {.id = "new"}), in_a_minute);
    calls.drop_open_calls();
    EXPECT_FALSE(calls.accepts_late_result("", true)) << "the oldest ones";
}

}  // namespace
}  // namespace tandem::gateway

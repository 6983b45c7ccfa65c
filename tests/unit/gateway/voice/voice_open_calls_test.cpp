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
    two_open_calls() { calls.open(std::vector<tool_call>{{.id = "a"}, {.id = "b"}}, in_a_minute); }
    static chat_message result(const std::string& call, const std::string& content) {
        return {.role = "tool", .content = content, .tool_call_id = call};
    }
    voice_open_calls calls;
};

TEST_F(two_open_calls, are_complete_when_each_has_its_result) {
    EXPECT_TRUE(calls.answer("b", "two"));
    EXPECT_TRUE(calls.is_open());
    EXPECT_FALSE(calls.is_complete());
    EXPECT_TRUE(calls.answer("a", "one"));
    EXPECT_FALSE(calls.is_open());
    EXPECT_TRUE(calls.is_complete());
}

TEST_F(two_open_calls, have_results_in_their_own_order) {
    calls.answer("b", "two");
    calls.answer("a", "one");
    EXPECT_THAT(calls.take_results(), ElementsAre(result("a", "one"), result("b", "two")));
    EXPECT_FALSE(calls.is_pending());
    EXPECT_THAT(calls.take_results(), IsEmpty()) << "once";
}

TEST_F(two_open_calls, take_one_result_each) {
    EXPECT_FALSE(calls.answer("c", "three"));
    EXPECT_TRUE(calls.answer("a", "one"));
    EXPECT_FALSE(calls.answer("a", "again"));
    EXPECT_EQ(calls.drop(), std::vector<std::string>{"b"});
    EXPECT_FALSE(calls.answer("b", "late"));
    EXPECT_THAT(calls.take_results(), ElementsAre(result("a", "one")));
}

TEST_F(two_open_calls, have_a_deadline_while_they_are_open) {
    EXPECT_EQ(calls.deadline(), in_a_minute);
    calls.answer("a", "one");
    EXPECT_EQ(calls.deadline(), in_a_minute);
    EXPECT_THAT(calls.answer_all("late"), ElementsAre("b"));
    EXPECT_EQ(calls.deadline(), std::nullopt);
    EXPECT_THAT(calls.take_results(), ElementsAre(result("a", "one"), result("b", "late")));
}

TEST_F(two_open_calls, were_made_whatever_becomes_of_them) {
    calls.drop();
    EXPECT_TRUE(calls.were_made());
    EXPECT_FALSE(calls.is_pending());
    EXPECT_FALSE(voice_open_calls().were_made());
}

TEST(open_calls, are_bounded) {
    voice_open_calls calls;
    calls.open(std::vector<tool_call>(max_sent_calls + 1), in_a_minute);
    EXPECT_THAT(calls.drop(), SizeIs(max_sent_calls));
}

}  // namespace
}  // namespace tandem::gateway

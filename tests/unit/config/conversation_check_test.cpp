#include "tandem/conversation_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace tandem;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

using change = std::function<void(conversation_options&)>;

/// The faults of the default options with one change, as "field message".
std::vector<std::string> faults_of(const change& make) {
    conversation_options o;
    make(o);
    std::vector<std::string> faults;
    for (const auto& f : check(o)) faults.push_back(f.field + " " + f.message);
    return faults;
}

TEST(conversation_options, can_be_used_as_they_are) {
    EXPECT_THAT(check(conversation_options{}), IsEmpty());
}

TEST(conversation_options, can_be_used_at_their_bounds) {
    conversation_options o;
    o.interrupted_mark = std::string(64, '.');
    o.resume_grace = 0s;
    o.reply_reserve = 0;
    o.trim_slack = 0;
    o.draft_limit = 0;
    EXPECT_THAT(check(o), IsEmpty());
    o.resume_grace = 1h;
    o.reply_reserve = 1'000'000;
    o.trim_slack = 0.9;
    o.draft_limit = 100;
    EXPECT_THAT(check(o), IsEmpty());
}

TEST(conversation_options, are_refused_beyond_their_bounds) {
    const struct {
        change make;
        std::string fault;
    } rows[] = {
        {[](auto& o) { o.interrupted = history_policy(9); },
         "interrupted is 9, which is not a valid value"},
        {[](auto& o) { o.interrupted_mark = std::string(65, '.'); },
         "interrupted_mark has 65 bytes; the maximum is 64"},
        {[](auto& o) { o.interrupted_mark = "\xFF"; }, "interrupted_mark is not valid UTF-8"},
        {[](auto& o) { o.resume_grace = -1ms; },
         "resume_grace is -1ms; it must be a time from 0 to 1h"},
        {[](auto& o) { o.resume_grace = 1h + 1ns; },
         "resume_grace is 3600000.000001ms; it must be a time from 0 to 1h"},
        {[](auto& o) { o.draft_limit = 101; },
         "draft_limit is 101; it must be a whole number from 0 to 100"},
        {[](auto& o) { o.reply_reserve = -1; },
         "reply_reserve is -1; it must be a whole number from 0 to 1000000"},
        {[](auto& o) { o.reply_reserve = 1'000'001; },
         "reply_reserve is 1000001; it must be a whole number from 0 to 1000000"},
        {[](auto& o) { o.trim_slack = -0.1; },
         "trim_slack is -0.1; it must be a number from 0 to 0.9"},
        {[](auto& o) { o.trim_slack = 1; }, "trim_slack is 1; it must be a number from 0 to 0.9"},
        {[](auto& o) { o.trim_slack = std::nan(""); },
         "trim_slack is nan; it must be a number from 0 to 0.9"},
    };
    for (const auto& row : rows) EXPECT_THAT(faults_of(row.make), ElementsAre(row.fault));
}

TEST(conversation_options, name_the_message_that_is_wrong) {
    EXPECT_THAT(faults_of([](auto& o) {
                    o.messages = {{"system", "Be brief."}, {"", "a\xFF"}};
                }),
                ElementsAre("messages[1].role must be system, user, assistant or tool",
                            "messages[1].content is not valid UTF-8"));
    EXPECT_THAT(faults_of([](auto& o) {
                    o.messages.push_back({"assistant", "", {{"1", "look", "\xC3"}}});
                }),
                ElementsAre("messages[0].tool_calls[0].arguments is not valid UTF-8"));
}

TEST(conversation_options, tell_every_fault_at_once) {
    EXPECT_EQ(faults_of([](auto& o) {
                  o.reply_reserve = -1;
                  o.trim_slack = 2;
              }).size(),
              2u);
}

TEST(history_policy, has_a_name_for_each_value) {
    EXPECT_EQ(to_string(history_policy::heard), "heard");
    EXPECT_EQ(to_string(history_policy::handed_over), "handed_over");
    EXPECT_EQ(to_string(history_policy::full), "full");
    EXPECT_EQ(to_string(history_policy::none), "none");
}

}  // namespace

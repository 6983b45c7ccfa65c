#include "unit/command/arguments_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using tandem::command::arguments;
using testing::HasSubstr;
using testing::Not;

class user_speech_arguments : public arguments {};

TEST_F(user_speech_arguments, let_users_not_speak_unless_they_are_given) {
    const auto c = replay({});
    ASSERT_TRUE(c.replay) << c.err;
    EXPECT_FALSE(c.replay->users.is_enabled());
}

TEST_F(user_speech_arguments, report_how_users_speak) {
    const auto c = replay({"--partials", "250ms", "--eager", "0.3", "--revise", "0.25"});
    ASSERT_TRUE(c.replay) << c.err;
    EXPECT_EQ(c.replay->users.partials, 250ms);
    EXPECT_EQ(c.replay->users.eager, 300ms);
    EXPECT_EQ(c.replay->users.revise, 0.25);
}

TEST_F(user_speech_arguments, may_be_one_of_them) {
    EXPECT_TRUE(replay({"--partials", "1s"}).replay->users.is_enabled());
    EXPECT_TRUE(replay({"--eager", "0"}).replay->users.is_enabled());
}

TEST_F(user_speech_arguments, are_refused_out_of_their_bounds) {
    EXPECT_THAT(replay({"--partials", "1ms"}).err, HasSubstr("--partials is 1ms; it must be"));
    EXPECT_THAT(replay({"--eager", "2m"}).err, HasSubstr("--eager is 2m; it must be"));
    EXPECT_THAT(replay({"--eager", "1s", "--revise", "1.1"}).err,
                HasSubstr("--revise is 1.1; it must be"));
    EXPECT_THAT(replay({"--revise", "0.3"}).err,
                HasSubstr("--revise requires --partials or --eager"));
    EXPECT_THAT(replay({"--partials", "bad", "--revise", "0.5"}).err,
                Not(HasSubstr("--revise requires")));
}

}  // namespace

#include "report/report_overview.hpp"

#include "report_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace tandem::command;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

report_bars overview(const std::vector<report_reply>& replies) {
    return make_overview(replies);
}

TEST(report_overview, has_the_slots_of_all_replies_and_a_voice_for_each_dialogue) {
    const auto b = overview(
        {make_reply_on("a", 1, 0), make_reply_on("a", 0, 100), make_reply_on("b", 0, 200)});
    EXPECT_THAT(b.lanes, ElementsAre("slot 0", "slot 1", "a", "b"));
}

TEST(report_overview, puts_a_reply_at_its_time_in_the_run) {
    const auto b = overview({make_reply_on("a", 0, 0), make_reply_on("b", 0, 200)});
    EXPECT_EQ(b.duration_ms, 250);
    EXPECT_EQ(b.bars.back().from_ms, 210);
    EXPECT_EQ(b.bars.back().to_ms, 240);
}

TEST(report_overview, names_the_reply_of_a_bar) {
    const auto b = overview({make_reply_on("a", 0, 0)});
    for (const auto& bar : b.bars) EXPECT_THAT(bar.words, StartsWith("a: "));
}

TEST(report_overview, shortens_the_name_in_each_bar_and_keeps_the_number) {
    auto r = make_reply_on(std::string(5000, 'a'), 0, 0);
    r.reply = 1;
    const auto b = overview({r});
    for (const auto& bar : b.bars) {
        EXPECT_LT(bar.words.size(), 200u);
        EXPECT_THAT(bar.words, HasSubstr("….1: "));
    }
}

TEST(report_overview, parts_slots_of_the_same_number_at_two_servers) {
    auto other = make_reply_on("b", 0, 0);
    other.result.servers = {"http://b:2"};
    const auto b = overview({make_reply_on("a", 0, 0), other});
    EXPECT_THAT(b.lanes, ElementsAre("slot 0 at a:1", "slot 0 at b:2", "a", "b"));
}

TEST(report_overview, leaves_voices_out_if_they_are_many) {
    std::vector<report_reply> replies;
    for (int i = 0; i < 100; ++i) replies.push_back(make_reply_on(std::to_string(i), 0, i));
    EXPECT_THAT(overview(replies).lanes, ElementsAre("slot 0"));
}

}  // namespace

#include "report/report_residents.hpp"

#include "report/report_page.hpp"
#include "report_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace tandem::command;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using step = tandem::timeline_event::kind;

// Each bar as "lane: dialogue from-to".
std::vector<std::string> stays(const std::vector<report_reply>& replies) {
    std::vector<std::string> found;
    const auto drawn = make_slot_resident_bars(replies);
    for (const auto& bar : drawn.bars)
        found.push_back(drawn.lanes.at(static_cast<std::size_t>(bar.lane)) + ":" + bar.label + " " +
                        std::to_string(static_cast<int>(bar.from_ms)) + "-" +
                        std::to_string(static_cast<int>(bar.to_ms)));
    return found;
}

TEST(report_residents, changes_at_the_first_request_of_another_dialogue) {
    EXPECT_THAT(
        stays({make_reply_on("a", 0, 0), make_reply_on("a", 0, 100), make_reply_on("b", 0, 200)}),
        ElementsAre("slot 0: a 0-200", "slot 0: b 200-250"));
}

TEST(report_residents, has_a_lane_for_each_slot) {
    EXPECT_THAT(
        stays({make_reply_on("a", 1, 0), make_reply_on("a", 0, 100), make_reply_on("b", 1, 200)}),
        ElementsAre("slot 0: a 100-250", "slot 1: a 0-200", "slot 1: b 200-250"));
}

TEST(report_residents, counts_the_warming_of_a_slot_as_a_change) {
    auto r = reply_maker().event(step::warming, 0, 0).event(step::end, 50).reply();
    r.id = "b";
    r.start_ms = 100;
    EXPECT_THAT(stays({make_reply_on("a", 0, 0), r}),
                ElementsAre("slot 0: a 0-100", "slot 0: b 100-150"));
}

TEST(report_residents, are_parted_by_server) {
    auto other = make_reply_on("b", 0, 10);
    other.result.servers = {"http://b:2"};
    EXPECT_THAT(stays({make_reply_on("a", 0, 0), other}),
                ElementsAre("slot 0 at a:1: a 0-60", "slot 0 at b:2: b 10-60"));
}

TEST(report_residents, gives_a_dialogue_one_color) {
    const auto b = make_slot_resident_bars(std::vector{
        make_reply_on("a", 0, 0), make_reply_on("a", 1, 100), make_reply_on("b", 0, 200)});
    ASSERT_EQ(b.bars.size(), 3u);
    EXPECT_EQ(b.bars[0].hue, b.bars[2].hue);
    EXPECT_NE(b.bars[0].hue, b.bars[1].hue);
}

TEST(report_residents, has_nothing_to_show_without_a_request) {
    EXPECT_THAT(stays({reply_maker().event(step::end, 50).reply()}), IsEmpty());
}

TEST(report_residents, is_part_of_a_page_with_several_replies) {
    report_run run;
    run.replies = {make_reply_on("a", 0, 0)};
    EXPECT_THAT(report_page(run), Not(HasSubstr("class=\"bar resident")));
    run.replies.push_back(make_reply_on("b", 0, 100));
    EXPECT_THAT(report_page(run),
                HasSubstr("class=\"bar resident hue-1\"><title>holds the text of b"));
}

}  // namespace

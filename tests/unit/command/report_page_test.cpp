#include "report_page.hpp"

#include "markup.hpp"
#include "report_drawing.hpp"
#include "report_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using namespace tandem::command;
using testing::HasSubstr;
using testing::Not;

using step = tandem::timeline_event::kind;

constexpr const char* hostile = "</script><img src=x onerror=alert(1)>\"'&]]>";

report_reply spoken(const std::string& text) {
    return reply_maker()
        .event(step::request, 0, 0)
        .event(step::first_token, 100, 0)
        .chunk(text)
        .event(step::chunk, 500, 0, 0)
        .event(step::end, 1000)
        .reply();
}

std::string page_with(report_reply r) {
    report_run run;
    run.replies.push_back(std::move(r));
    return report_page(run);
}

TEST(markup, stands_for_what_could_end_a_text_or_an_attribute) {
    EXPECT_EQ(escaped_markup("<a href=\"x\">'&'</a>"),
              "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
}

TEST(markup, keeps_other_writing_as_it_is) {
    EXPECT_EQ(escaped_markup("Grüße, 世界 🦊\n\tend"), "Grüße, 世界 🦊\n\tend");
}

TEST(markup, replaces_what_xml_forbids) {
    EXPECT_EQ(escaped_markup(std::string("a\0b\x1B", 4)), "a\uFFFDb\uFFFD");
    EXPECT_EQ(escaped_markup("\uFFFE\uFFFFx"), "\uFFFD\uFFFDx");
    EXPECT_EQ(escaped_markup("\xC3("), "\uFFFD(");
}

TEST(drawing, puts_a_time_at_its_share_of_the_width) {
    const auto svg = drawing_of(bars_of(spoken("Hi.")));
    // 100 ms of 1000 ms, and 1 % of room behind the end
    EXPECT_THAT(svg, HasSubstr(R"(<rect x="0.0000%" y="27" width="9.9010%" height="18"/>)"));
}

TEST(drawing, is_as_high_as_its_lanes) {
    EXPECT_EQ(drawing_height(bars_of(spoken("Hi."))), report_axis_height + 3 * report_lane_height);
}

TEST(drawing, has_ticks_at_round_times) {
    const auto svg = drawing_of(bars_of(spoken("Hi.")));
    EXPECT_THAT(svg, HasSubstr(">200 ms</text>"));
    EXPECT_THAT(svg, HasSubstr(">1000 ms</text>"));
}

TEST(drawing, holds_a_hostile_text_as_text_alone) {
    const auto svg = drawing_file(spoken(hostile), hostile);
    EXPECT_THAT(svg, Not(HasSubstr("<img")));
    EXPECT_THAT(svg, HasSubstr("&lt;img src=x onerror=alert(1)&gt;"));
}

TEST(drawing, follows_the_reader_in_light_and_dark) {
    EXPECT_THAT(drawing_file(spoken("Hi."), ""), HasSubstr("prefers-color-scheme: dark"));
}

TEST(report_page, lets_nothing_be_loaded) {
    EXPECT_THAT(page_with(spoken("Hi.")),
                HasSubstr(R"(content="default-src 'none'; style-src 'unsafe-inline'; )"
                          R"(script-src 'unsafe-inline'")"));
}

TEST(report_page, holds_hostile_texts_as_text_alone) {
    auto r = spoken(hostile);
    r.id = r.prompt = r.fault = r.unspoken_text = r.reasoning = hostile;
    r.servers = {hostile, hostile};
    report_run run;
    run.settings = {{"server", hostile}};
    run.faults = {hostile};
    run.summary.servers.push_back({.url = hostile, .state = "up", .slots = {{.slot = 0}}});
    run.replies.push_back(r);
    EXPECT_THAT(report_page(run), Not(HasSubstr("<img")));
}

TEST(report_page, tells_how_many_replies_it_leaves_out) {
    report_run run;
    run.left_out = 7;
    EXPECT_THAT(report_page(run), HasSubstr("7 more replies"));
    EXPECT_THAT(report_page({}), Not(HasSubstr("more replies")));
}

TEST(report_page, shows_a_dash_for_a_time_that_there_is_not) {
    EXPECT_THAT(report_page({}), HasSubstr(R"(first token</th><td class="number">–</td>)"));
}

TEST(report_page, tells_speech_only_where_it_is_another_text) {
    auto r = spoken(" **Hi.**");
    r.chunks[0].speech = "**Hi.**";
    EXPECT_THAT(page_with(r), HasSubstr(">the same</td>"));
    r.chunks[0].speech = "Hi.";
    EXPECT_THAT(page_with(r), HasSubstr(R"(dir="auto">Hi.</td>)"));
}

}  // namespace

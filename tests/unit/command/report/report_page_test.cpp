#include "report/report_page.hpp"

#include "report/report_drawing.hpp"
#include "report_fixture.hpp"
#include "text/markup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <string>

namespace {

using namespace tandem::command;
using testing::AllOf;
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
    EXPECT_EQ(escape_markup("<a href=\"x\">'&'</a>"),
              "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
}

TEST(markup, keeps_other_writing_as_it_is) {
    EXPECT_EQ(escape_markup("Grüße, 世界 🦊\n\tend"), "Grüße, 世界 🦊\n\tend");
}

TEST(markup, replaces_what_xml_forbids) {
    EXPECT_EQ(escape_markup(std::string("a\0b\x1B", 4)), "a\uFFFDb\uFFFD");
    EXPECT_EQ(escape_markup("\uFFFE\uFFFFx"), "\uFFFD\uFFFDx");
    EXPECT_EQ(escape_markup("\xC3("), "\uFFFD(");
}

TEST(drawing, puts_a_time_at_its_share_of_the_width) {
    const auto svg = draw_timeline(make_bars(spoken("Hi.")));
    // The bar lasts 100 ms; the drawing covers 1000 ms and, at its end, 1 % of free space.
    EXPECT_THAT(svg, HasSubstr(R"(<rect x="0.0000%" y="27" width="9.9010%" height="18"/>)"));
}

TEST(drawing, is_as_high_as_its_lanes) {
    EXPECT_EQ(drawing_height(make_bars(spoken("Hi."))),
              report_axis_height + 3 * report_lane_height);
}

TEST(drawing, has_ticks_at_round_times) {
    const auto svg = draw_timeline(make_bars(spoken("Hi.")));
    EXPECT_THAT(svg, HasSubstr(">200 ms</text>"));
    EXPECT_THAT(svg, HasSubstr(">1000 ms</text>"));
}

TEST(drawing, holds_a_hostile_text_as_text_alone) {
    const auto svg = make_svg_file(spoken(hostile), hostile);
    EXPECT_THAT(svg, Not(HasSubstr("<img")));
    EXPECT_THAT(svg, HasSubstr("&lt;img src=x onerror=alert(1)&gt;"));
}

TEST(drawing, follows_the_reader_in_light_and_dark) {
    EXPECT_THAT(make_svg_file(spoken("Hi."), ""), HasSubstr("prefers-color-scheme: dark"));
}

TEST(drawing, shortens_what_would_overprint_and_has_the_whole_in_titles) {
    ASSERT_TRUE(std::setlocale(LC_CTYPE, "C.UTF-8"));
    const std::string long_id(300, 'i'), long_head(300, 'h');
    auto r = spoken("Hi.");
    r.id = long_id;
    const auto svg = make_svg_file(r, long_head);
    EXPECT_THAT(svg, HasSubstr("<text class=\"head\" x=\"16\" y=\"26\">" + std::string(39, 'i') +
                               "…<title>" + long_id + "</title></text>"));
    EXPECT_THAT(svg, HasSubstr("hh…<title>" + long_head + "</title></text>"));
}

TEST(drawing, ends_a_label_that_has_no_room_with_dots) {
    ASSERT_TRUE(std::setlocale(LC_CTYPE, "C.UTF-8"));
    // The chunk's bar covers the right half of about 1000 pixels, which is too narrow for a text of
    // 150 characters.
    const auto svg = make_svg_file(spoken("Hi there. " + std::string(150, 'a')), "");
    EXPECT_THAT(svg, HasSubstr(R"(<text x="5" y="15">0 Hi there. aaa)"));
    EXPECT_THAT(svg, HasSubstr("aaa…</text>"));
    EXPECT_THAT(make_svg_file(spoken("Hi there."), ""), HasSubstr(">0 Hi there.</text>"));
}

TEST(drawing, has_no_half_number_of_a_chunk) {
    ASSERT_TRUE(std::setlocale(LC_CTYPE, "C.UTF-8"));
    const auto b = make_bars(spoken("Hi."));
    EXPECT_THAT(draw_timeline(b, 60), HasSubstr(">0…</text>"));
    EXPECT_THAT(draw_timeline(b, 30), Not(HasSubstr("class=\"label\"")));
}

TEST(drawing, leaves_the_room_for_labels_of_a_page_to_its_reader) {
    EXPECT_THAT(page_with(spoken("Hi.")),
                HasSubstr("<div><span>0</span><span> Hi.</span></div></foreignObject>"));
}

TEST(drawing, reports_that_its_time_line_is_cut) {
    auto r = spoken("Hi.");
    EXPECT_THAT(make_svg_file(r, ""), Not(HasSubstr("lacks")));
    r.result.dropped_events = 7;
    EXPECT_THAT(make_svg_file(r, ""), HasSubstr("the timeline lacks 7 events"));
    EXPECT_THAT(page_with(r), HasSubstr("the timeline lacks 7 events"));
}

TEST(report_page, lets_nothing_be_loaded) {
    EXPECT_THAT(page_with(spoken("Hi.")),
                HasSubstr(R"(content="default-src 'none'; style-src 'unsafe-inline'; )"
                          R"(script-src 'unsafe-inline'")"));
}

TEST(report_page, holds_hostile_texts_as_text_alone) {
    auto r = spoken(hostile);
    r.id = r.prompt = r.fault = r.result.unspoken_text = r.result.reasoning = hostile;
    r.result.servers = {hostile, hostile};
    report_run run;
    run.settings = {{"server", hostile}};
    run.faults = {hostile};
    run.summary.servers.push_back({.url = hostile, .state = "up", .slots = {{.slot = 0}}});
    run.replies.push_back(r);
    EXPECT_THAT(report_page(run), Not(HasSubstr("<img")));
}

TEST(report_page, reports_how_many_replies_it_leaves_out) {
    report_run run;
    run.left_out = 7;
    EXPECT_THAT(report_page(run), HasSubstr("7 more replies"));
    EXPECT_THAT(report_page({}), Not(HasSubstr("more replies")));
}

TEST(report_page, begins_with_the_expectations_that_failed) {
    report_run run;
    run.replies = {spoken("It is one.")};
    run.summary.checked_turns = 3;
    run.summary.broken_turns = 1;
    run.broken_turns = {{"p1.1", {.line = 7, .turn = 2, .broken = {{"text", "/noon/", hostile}}}}};
    const auto page = report_page(run);
    EXPECT_THAT(page, HasSubstr("<main>\n<div class=\"wide\" tabindex=\"0\" role=\"group\" "
                                "aria-label=\"Failed expectations\">"));
    EXPECT_THAT(page, HasSubstr("Failed expectations, in 1 of 3 checked turns"));
    EXPECT_THAT(page, HasSubstr(R"(p1.1</th><td class="number">7</td><td class="number">2</td>)"
                                R"(<td>text</td><td class="text" dir="auto">/noon/</td>)"));
    EXPECT_THAT(page, HasSubstr("&lt;img src=x"));
    EXPECT_THAT(page, Not(HasSubstr("<img")));
}

TEST(report_page, has_a_dash_for_the_line_of_a_turn_without_a_file) {
    report_run run;
    run.broken_turns = {{"p1", {.turn = 2, .broken = {{"text", "/noon/", "«»"}}}}};
    EXPECT_THAT(report_page(run),
                HasSubstr(R"(p1</th><td class="number">–</td><td class="number">2</td>)"));
}

TEST(report_page, reports_how_many_turns_with_failed_expectations_it_leaves_out) {
    report_run run;
    run.summary.checked_turns = run.summary.broken_turns = 3;
    run.broken_turns = {{"p1", {.broken = {{"text", "/noon/", "«»"}}}}};
    EXPECT_THAT(report_page(run), HasSubstr("2 more turns with failed expectations"));
}

TEST(report_page, begins_with_the_number_of_turns_that_were_not_checked) {
    report_run run;
    run.summary.checked_turns = 1;
    run.summary.unchecked_turns = 2;
    EXPECT_THAT(report_page(run),
                HasSubstr("<main>\n<p class=\"fault\">2 of 3 turns with expectations were not "
                          "checked.</p>\n"));
}

TEST(report_page, reports_no_expectations_if_all_hold) {
    report_run run;
    run.summary.checked_turns = 3;
    EXPECT_THAT(report_page(run),
                AllOf(Not(HasSubstr("Failed expectations")), Not(HasSubstr("not checked"))));
}

TEST(report_page, shows_a_dash_for_a_time_that_there_is_not) {
    EXPECT_THAT(page_with({}), HasSubstr(R"(first token</th><td class="number">–</td>)"));
}

TEST(report_page, shows_a_dash_for_the_slot_of_a_chunk_that_had_none) {
    auto r = spoken("Hi.");
    r.chunks[0].metrics.slot = -1;
    // The columns are: guard ms, slot, cached.
    EXPECT_THAT(page_with(r), HasSubstr(R"(>0.0</td><td class="number">–</td>)"
                                        R"(<td class="number">0</td>)"));
}

TEST(report_page, shows_no_gap_if_there_is_no_second_chunk) {
    auto r = spoken("Hi.");
    // The columns are: began, first token, first chunk, longest gap.
    r.result.metrics.first_chunk_ms = 500;
    const std::string begin = R"(<td class="number">500.0</td><td class="number">)";
    EXPECT_THAT(page_with(r), HasSubstr(begin + "–</td>"));
    r.result.metrics.chunks = 2;
    r.result.metrics.longest_gap_ms = 12;
    EXPECT_THAT(page_with(r), HasSubstr(begin + "12.0</td>"));
}

TEST(report_page, has_tokens_that_were_heard) {
    report_run run;
    run.replies = {spoken("Hi.")};
    run.summary.heard = 1234;
    EXPECT_THAT(report_page(run), HasSubstr("heard</th><td class=\"number\">1234</td>"));
}

TEST(report_page, of_a_run_without_replies_reports_what_failed_and_has_no_empty_section) {
    report_run run;
    run.faults = {"connect_failed: nobody is there"};
    run.summary.replies = run.summary.not_started = 3;
    run.summary.servers.push_back({.url = "http://a:1", .state = "down"});
    const auto page = report_page(run);
    EXPECT_THAT(page, HasSubstr("No reply was requested"));
    EXPECT_THAT(page, HasSubstr("connect_failed: nobody is there"));
    EXPECT_THAT(page, HasSubstr("not started</th><td class=\"number\">3</td>"));
    for (const auto* section : {"Latency, ms", "Tokens", ">Slots<", "Each reply", "Timelines"})
        EXPECT_THAT(page, Not(HasSubstr(section)));
}

TEST(report_page, of_a_run_that_was_stopped_before_a_reply_says_so) {
    EXPECT_THAT(report_page({}), HasSubstr("The run ended before any reply."));
}

TEST(report_page, writes_no_more_than_its_limit_whatever_its_texts_become) {
    report_run run;
    auto r = spoken("Hi.");
    r.prompt.assign(max_report_bytes / 20, '"');  // each becomes six bytes in HTML
    run.replies.assign(10, r);
    const auto page = report_page(run);
    EXPECT_LT(page.size(), max_report_bytes + (std::size_t{1} << 20));
    EXPECT_GT(page.size(), max_report_bytes / 2);
    EXPECT_THAT(page, HasSubstr("7 more replies"));
}

TEST(report_page, tells_speech_only_if_it_is_another_text) {
    auto r = spoken(" **Hi.**");
    r.chunks[0].speech = "**Hi.**";
    EXPECT_THAT(page_with(r), HasSubstr(">the same</td>"));
    r.chunks[0].speech = "Hi.";
    EXPECT_THAT(page_with(r), HasSubstr(R"(dir="auto">Hi.</td>)"));
}

}  // namespace

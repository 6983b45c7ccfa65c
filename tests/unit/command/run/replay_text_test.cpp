#include "run/replay_text.hpp"

#include "replay/replay_json.hpp"
#include "text/terminal_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace tandem::command;
using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Le;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

class text_lines : public testing::Test {
 protected:
    void SetUp() override { ASSERT_TRUE(std::setlocale(LC_CTYPE, "C.UTF-8")); }

    tandem::chunk chunk_{.text = " Hello there.",
                         .metrics = {.slot = 1, .cached = 50, .evaluated = 3}};
    tandem::reply_result result_;
};

TEST_F(text_lines, show_a_chunk_in_columns) {
    const chunk_event e{.where = {"p1", 0}, .chunk = chunk_, .at_ms = 40};
    EXPECT_EQ(format_chunk({}, e), "   0.04s  1                50+3  Hello there.\n");
}

TEST_F(text_lines, report_that_a_slot_was_reused) {
    chunk_.metrics.slot_reused = true;
    const chunk_event e{.where = {"p1", 0}, .chunk = chunk_, .at_ms = 40};
    EXPECT_EQ(format_chunk({}, e), "   0.04s  1 reused         50+3  Hello there.\n");
}

TEST_F(text_lines, show_a_dash_for_a_chunk_that_had_no_slot) {
    chunk_.metrics = {.slot = -1};
    const chunk_event e{.where = {"p1", 0}, .chunk = chunk_, .at_ms = 40};
    EXPECT_EQ(format_chunk({}, e), "   0.04s  –                 0+0  Hello there.\n");
    replay_summary s;
    s.replies = s.complete = 1;
    s.conversations.count = 1;
    s.servers = {{.url = "http://a:1", .state = "up", .slots = {{.chunks = 1}}}};
    EXPECT_THAT(format_summary({}, s), HasSubstr("  http://a:1       –         0       1"));
}

TEST_F(text_lines, show_the_wait_for_the_guard_before_the_chunk) {
    chunk_.metrics.guard_wait_ms = 1900;
    const chunk_event e{.where = {"p1", 0}, .chunk = chunk_, .at_ms = 2000};
    EXPECT_THAT(lines_of(format_chunk({}, e)),
                ElementsAre("   2.00s  waited 1.90 s for the reuse guard of slot 1",
                            "   2.00s  1                50+3  Hello there."));
}

TEST_F(text_lines, stay_inside_the_width) {
    chunk_.text =
        "A sentence that is long enough to need a second line, and 明日は晴れでしょう too.";
    chunk_.metrics.guard_wait_ms = 1;
    result_.finish_reason = tandem::finish_reason::eos;
    result_.metrics.guard_wait_ms = 1;
    const chunk_event c{.where = {"a-long-name", 2}, .chunk = chunk_};
    const end_event end{.where = {"a-long-name", 2}, .result = result_, .speech_ms = 1};
    const start_event start{{"a-long-name", 2}, chunk_.text};
    for (const int names : {0, 12}) {
        const text_style style{.width = 70, .name_columns = names};
        std::vector<int> widths;
        for (const auto& line : lines_of(format_reply_start(style, start) + format_chunk(style, c) +
                                         format_reply_end(style, end)))
            widths.push_back(count_columns(line));
        EXPECT_THAT(widths, Each(Le(70)));
    }
}

TEST_F(text_lines, carry_the_name_where_replies_run_side_by_side) {
    const text_style style{.name_columns = 6};
    const chunk_event c{.where = {"p1", 1}, .chunk = chunk_};
    const end_event end{.where = {"p1", 1}, .result = result_};
    const start_event start{{"p1", 1}, "Hi"};
    EXPECT_THAT(lines_of(format_reply_start(style, start) + format_chunk(style, c) +
                         format_reply_end(style, end)),
                Each(StartsWith("p1.1    ")));
}

TEST_F(text_lines, name_the_flag_in_the_place_of_the_field) {
    result_.finish_reason = tandem::finish_reason::error;
    result_.error = tandem::errc::prompt_too_long;
    result_.diagnostics.client_message = "too long; set max_tokens to 279 or less";
    const end_event end{.where = {"p1", 0}, .result = result_};
    EXPECT_THAT(format_reply_end({}, end), HasSubstr("set --max-tokens to 279 or less"));
    EXPECT_THAT(json_line(end), HasSubstr("set --max-tokens to 279 or less"));
}

TEST_F(text_lines, keep_a_number_and_its_unit_in_one_line) {
    result_.finish_reason = tandem::finish_reason::eos;
    result_.usage = {.cached = 96, .evaluated = 4};
    const end_event end{.where = {"p1", 0}, .result = result_};
    for (int width = 40; width < 80; ++width)
        for (const auto& line : lines_of(format_reply_end({.width = width}, end)))
            EXPECT_THAT(line, Not(EndsWith("96"))) << width;
}

TEST_F(text_lines, are_neither_cut_nor_broken_if_there_is_no_terminal) {
    const text_style style{.width = std::numeric_limits<int>::max()};
    chunk_.text = std::string(500, 'a') + " " + std::string(500, 'b');
    const chunk_event c{.where = {"p1", 0}, .chunk = chunk_};
    const start_event start{{"p1", 1}, chunk_.text};
    EXPECT_THAT(format_chunk(style, c), HasSubstr(chunk_.text));
    EXPECT_THAT(format_reply_start(style, start), HasSubstr("«" + chunk_.text + "»"));
    tandem::server_props props;
    props.total_slots = 2;
    props.context_per_slot = 4096;
    props.model = std::string(200, 'm');
    EXPECT_THAT(format_server(style, "http://a:1", props, 2), HasSubstr("of 4096 tokens"));
}

TEST_F(text_lines, have_no_control_sequences_without_colour) {
    result_.finish_reason = tandem::finish_reason::error;
    const end_event end{.where = {"p1", 0}, .result = result_};
    EXPECT_THAT(format_reply_end({}, end), Not(HasSubstr("\x1b")));
    EXPECT_THAT(format_reply_end({.color = true}, end), HasSubstr("\x1b[31m"));
}

TEST_F(text_lines, do_not_let_a_reply_steer_the_terminal) {
    chunk_.text = "\x1b]0;title\x07";
    const chunk_event e{.where = {"p1", 0}, .chunk = chunk_};
    EXPECT_THAT(format_chunk({}, e), Not(HasSubstr("\x1b")));
}

TEST_F(text_lines, report_how_a_reply_ended) {
    result_.finish_reason = tandem::finish_reason::eos;
    result_.usage.generated = 64;
    result_.metrics.chunks = 1;
    result_.metrics.total_ms = 12400;
    result_.metrics.first_chunk_ms = 38;
    const end_event end{.where = {"p1", 0}, .result = result_};
    EXPECT_EQ(format_reply_end({}, end),
              "  12.40s  eos · 64 tokens in 1 chunk · first after 38 ms · cache hit 0 %\n");
    result_.usage.generated = 1;
    EXPECT_THAT(format_reply_end({}, end), HasSubstr("eos · 1 token in 1 chunk"));
}

TEST_F(text_lines, name_the_functions_that_a_reply_called) {
    result_.finish_reason = tandem::finish_reason::tool_calls;
    result_.calls = {{.name = "f", .arguments = "{}"}};
    const end_event end{.where = {"p1", 0}, .result = result_};
    EXPECT_THAT(format_reply_end({}, end), StartsWith("          calls f {}\n"));
}

TEST_F(text_lines, report_when_the_server_of_a_reply_was_lost) {
    using event_kind = tandem::timeline_event::kind;
    result_.finish_reason = tandem::finish_reason::eos;
    result_.metrics.retries = 1;
    result_.timeline = {{.what = event_kind::request, .at_ns = 1'000},
                        {.what = event_kind::lost, .at_ns = 420'000'000}};
    const end_event end{.where = {"p1", 0}, .result = result_};
    EXPECT_THAT(format_reply_end({}, end), HasSubstr(" · server lost after 420 ms\n"));
    result_.metrics.retries = 3;
    EXPECT_THAT(format_reply_end({.width = 100}, end),
                HasSubstr(" · server lost 3 times, first after 420 ms\n"));
}

TEST_F(text_lines, show_where_the_time_of_a_reply_went) {
    result_.finish_reason = tandem::finish_reason::eos;
    result_.metrics.guard_wait_ms = 1000;
    const end_event end{.where = {"p1", 0}, .result = result_, .speech_ms = 4000, .gap_ms = 2000};
    EXPECT_THAT(format_reply_end({}, end), HasSubstr("█████▒▒▒▒▒░░░░░░░░░░░░░░░░░░░░\n"));
    EXPECT_THAT(format_reply_end({}, end),
                HasSubstr("█ 1.00 s server  ▒ 1.00 s guard  ░ 4.00 s speech"));
}

TEST_F(text_lines, report_the_wait_for_a_slot_that_another_reply_has_from_the_server) {
    using event_kind = tandem::timeline_event::kind;
    const auto at = [](event_kind what, int seconds) {
        return tandem::timeline_event{.what = what, .at_ns = seconds * std::int64_t{1'000'000'000}};
    };
    result_.finish_reason = tandem::finish_reason::eos;
    result_.timeline = {at(event_kind::slot_wait, 0), at(event_kind::request, 4),
                        at(event_kind::chunk, 5), at(event_kind::slot_wait, 5),
                        at(event_kind::end, 6)};
    result_.metrics.guard_wait_ms = 2000;
    EXPECT_THAT(
        format_reply_end({.width = 100}, {.where = {"p1", 0}, .result = result_, .gap_ms = 6000}),
        HasSubstr("█ 1.00 s server  ▓ 3.00 s for a free slot  ▒ 2.00 s guard\n"));
}

TEST_F(text_lines, have_a_bar_that_is_as_wide_for_each_reply) {
    result_.finish_reason = tandem::finish_reason::eos;
    result_.metrics.guard_wait_ms = 1990;
    const end_event end{.where = {"p1", 0}, .result = result_, .gap_ms = 2010};
    const auto bar = lines_of(format_reply_end({}, end)).at(1);
    EXPECT_EQ(count_columns(bar.substr(0, bar.rfind("  █"))), 40);
}

TEST_F(text_lines, leave_out_a_wait_for_the_guard_that_nobody_notices) {
    chunk_.metrics.guard_wait_ms = 0.4;
    EXPECT_THAT(lines_of(format_chunk({}, {.where = {"p1", 0}, .chunk = chunk_})), SizeIs(1));
}

TEST_F(text_lines, leave_the_columns_of_slot_and_cache_out_if_there_is_no_room) {
    chunk_.text = "A sentence that needs two lines here.";
    tandem::server_props props;
    EXPECT_EQ(format_chunk({.width = 40}, {.where = {"p1", 0}, .chunk = chunk_, .at_ms = 40}),
              "   0.04s  A sentence that needs two\n          lines here.\n");
    EXPECT_EQ(format_column_headings({.width = 40}), "");
    EXPECT_THAT(format_column_headings({}), HasSubstr("slot  "));
}

TEST_F(text_lines, name_the_model_without_its_folder) {
    tandem::server_props props;
    props.model = "/long/way/to/talk.gguf";
    EXPECT_THAT(format_server({}, "http://a:1", props, 0), HasSubstr("model talk.gguf, "));
}

TEST_F(text_lines, tell_servers_apart_if_there_are_several) {
    const text_style style{.width = 120, .shows_servers = true};
    EXPECT_THAT(format_server(style, "http://a:1", {}, 0), StartsWith("http://a:1: llama-server "));
    const end_event end{.where = {"p1", 0}, .result = result_, .server = "http://a:1"};
    EXPECT_THAT(format_reply_end(style, end), HasSubstr(" · at http://a:1\n"));
    EXPECT_THAT(format_reply_end({}, end), Not(HasSubstr("http://a:1")));
}

TEST_F(text_lines, name_each_server_of_a_reply_once_even_if_urls_have_passwords) {
    result_.servers = {"http://me:secret@a:1", "http://me:secret@b:1"};
    const end_event end{.where = {"p1", 0}, .result = result_, .server = "http://b:1"};
    EXPECT_THAT(format_reply_end({.width = 200, .shows_servers = true}, end),
                HasSubstr(" · at http://a:1, then http://b:1\n"));
}

TEST_F(text_lines, report_that_a_recording_is_played_and_no_server) {
    const text_style style{.width = 60, .is_playback = true};
    EXPECT_EQ(format_recording_source(style, "the recording f.rec, speed 3"),
              "from the recording f.rec, speed 3; figures of slots, caches\n"
              "and latency are the recording's\n");
    EXPECT_THAT(format_server(style, "http://a:1", {}, 0),
                StartsWith("recorded from llama-server "));
}

TEST_F(text_lines, show_what_each_slot_of_each_server_did) {
    replay_summary s;
    s.replies = s.complete = 1;
    s.slot_wait_ms = {.p50 = 1, .p90 = 2, .max = 3};
    s.conversations = {.count = 2, .turns = 4, .trims = 1};
    s.servers = {
        {.url = "http://a:1",
         .slots =
             {{.slot = 0, .requests = 3, .chunks = 2, .generated = 9, .cached = 6, .evaluated = 2},
              {.slot = 12, .requests = 4}}},
        {.url = "http://127.0.0.1:8080", .state = "down"}};
    const auto lines = lines_of(format_summary({}, s));
    EXPECT_THAT(
        lines,
        IsSupersetOf({
            "  slot waits     p50 1.0 ms, p90 2.0 ms, max 3.0 ms",
            "  conversations  2, 4 turns, 1 trim, 0 moves",
            "  server                 slot  requests  chunks  generated  cache hit  evaluated",
            "  http://a:1                0         3       2          9       75 %          2",
            "                           12         4       0          0        0 %          0",
            "  http://127.0.0.1:8080  down, not used",
        }));
    for (const auto& line : lines) EXPECT_LE(count_columns(line), 80);
}

TEST_F(text_lines, shorten_the_names_of_servers_that_do_not_fit) {
    replay_summary s;
    s.replies = s.complete = 1;
    s.servers = {{.url = "http://a:1"}, {.url = "https://voice.example.com:8080"}};
    EXPECT_THAT(lines_of(format_summary({}, s)),
                IsSupersetOf({"  a:1                    unknown, not used",
                              "  voice.example.com:80…  unknown, not used"}));
}

TEST_F(text_lines, have_no_table_for_a_client_of_one_server) {
    replay_summary s;
    s.replies = s.complete = 1;
    s.servers = {{.url = "http://a:1"}};
    EXPECT_THAT(format_summary({}, s), Not(HasSubstr("http://a:1")));
}

TEST_F(text_lines, report_why_a_reply_failed) {
    result_.finish_reason = tandem::finish_reason::error;
    result_.error = tandem::errc::stream_incomplete;
    result_.diagnostics.client_message = "it broke";
    EXPECT_THAT(format_reply_end({}, {.where = {"p1", 0}, .result = result_}),
                HasSubstr("stream_incomplete: it broke"));
    EXPECT_THAT(format_reply_end({}, {.where = {"p1", 0}, .result = result_, .hint = "mend it"}),
                HasSubstr("it broke; mend it"));
}

TEST_F(text_lines, report_how_this_program_is_given_a_key) {
    const tandem::diagnostics silent;
    const tandem::diagnostics told{
        "the server rejected the API key, or requires one; set api_key to the one it was started "
        "with (HTTP 401)",
        "Invalid API Key", 401};
    for (const auto* d : {&silent, &told}) {
        const auto text = format_server_fault(
            {.error = make_error_code(tandem::errc::unauthorized), .diagnostics = *d});
        EXPECT_THAT(text, HasSubstr("use --api-key-file FILE or TANDEM_API_KEY to pass the one "));
        EXPECT_THAT(text, Not(HasSubstr("api_key")));
    }
}

TEST_F(text_lines, report_that_slots_are_missing) {
    tandem::server_props props;
    props.total_slots = 1;
    EXPECT_THAT(format_server({}, "http://a:1", props, 2),
                HasSubstr("slots is 2, but the server has 1"));
    EXPECT_THAT(format_server({}, "http://a:1", props, 1), Not(HasSubstr("slots is")));
}

TEST_F(text_lines, sum_a_run_up) {
    replay_summary s;
    s.replies = 2;
    s.complete = 2;
    s.chunks = 9;
    s.generated = 100;
    s.wasted = 2;
    s.cached = 30;
    s.evaluated = 10;
    s.first_chunk_ms.p50 = s.first_chunk_ms.p90 = s.first_chunk_ms.max = 5;
    s.total_ms = 1500;
    s.cpu_ms = 1;
    EXPECT_THAT(lines_of(format_summary({}, s)),
                ElementsAre("", "2 replies: 2 complete", "  first chunk    5.0 ms",
                            "  chunks         9", "  tokens         100 generated, 2 wasted",
                            "  prompt cache   hit 75 % (30 tokens cached, 10 evaluated)",
                            "  guard waits    none",
                            "  time           1.50 s, processor 1.0 ms (10.0 µs a token)"));
}

TEST_F(text_lines, have_one_figure_for_the_first_chunk_of_one_reply) {
    replay_summary s;
    s.replies = s.complete = 1;
    s.guard_waits = 1;
    s.guard_wait_ms = 1990;
    s.first_chunk_ms.p50 = s.first_chunk_ms.p90 = s.first_chunk_ms.max = 5;
    EXPECT_THAT(format_summary({}, s), HasSubstr("  first chunk    5.0 ms\n"));
    EXPECT_THAT(format_summary({}, s), HasSubstr("  guard waits    1, 1.99 s\n"));
}

TEST_F(text_lines, count_lost_servers_if_there_were_any) {
    replay_summary s;
    s.replies = s.complete = 5;
    EXPECT_THAT(format_summary({}, s), Not(HasSubstr("lost")));
    s.lost_servers = 2;
    s.retries = 3;
    EXPECT_THAT(format_summary({}, s), HasSubstr("  lost servers   3 in 2 replies\n"));
}

TEST_F(text_lines, report_expectations_that_were_not_checked) {
    replay_summary s;
    s.replies = s.complete = 3;
    EXPECT_THAT(format_summary({}, s), Not(HasSubstr("expectations")));
    s.checked_turns = s.broken_turns = 1;
    EXPECT_THAT(format_summary({}, s), HasSubstr("  expectations   1 turn, 1 broken\n"));
    s.unchecked_turns = 2;
    EXPECT_THAT(format_summary({}, s), HasSubstr("1 turn, 1 broken, 2 unchecked\n"));
}

TEST_F(text_lines, have_no_figures_if_nothing_was_started) {
    replay_summary s;
    s.replies = s.not_started = 1;
    EXPECT_EQ(format_summary({}, s), "\n1 reply: 1 not started\n");
    s.replies = 10;
    s.complete = 2;
    s.failed = 3;
    s.interrupted = 4;
    EXPECT_THAT(format_summary({}, s),
                HasSubstr("10 replies: 2 complete, 3 failed, 4 interrupted, 1 not started\n"));
}

struct shown_time {
    double ms;
    const char* text;
};

class time_texts : public testing::TestWithParam<shown_time> {};

TEST_P(time_texts, have_three_figures) {
    EXPECT_EQ(format_elapsed(GetParam().ms), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(table, time_texts,
                         testing::Values(shown_time{0, "0.0 ms"}, shown_time{7.14, "7.1 ms"},
                                         shown_time{850.2, "850 ms"}, shown_time{1234, "1.23 s"},
                                         shown_time{12345, "12.3 s"},
                                         shown_time{200'000, "3 min 20 s"}));

}  // namespace

#include "recording/recorded_traffic.hpp"

#include "recorded_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using namespace std::chrono_literals;
using tandem::errc;
using tandem::detail::parse_traffic;
using tandem::testing::recorded_lines;
using testing::HasSubstr;
using testing::StartsWith;

const std::string start_line = R"({"ms":0,"recording":1,"began":"now","prompts":true})"
                               "\n";

std::string fault_of_lines(const std::string& lines) {
    std::string fault;
    EXPECT_FALSE(parse_traffic(lines, fault)) << lines;
    return fault;
}

TEST(recorded_traffic, puts_the_lines_of_each_request_together) {
    recorded_lines lines;
    lines.ask(0);
    lines.tokens({"Hi"});
    lines.cut();
    lines.ask(2);
    lines.status(503);
    lines.end(errc::stream_incomplete, "gone");
    const auto traffic = lines.traffic();
    ASSERT_EQ(traffic.exchanges.size(), 2u);
    EXPECT_TRUE(traffic.exchanges[0].was_cut);
    EXPECT_EQ(traffic.exchanges[0].http_status, 200);
    EXPECT_EQ(traffic.exchanges[0].pieces.size(), 1u);
    EXPECT_FALSE(traffic.exchanges[1].was_cut);
    EXPECT_EQ(traffic.exchanges[1].ec, errc::stream_incomplete);
    EXPECT_EQ(traffic.exchanges[1].message, "gone");
    EXPECT_EQ(traffic.exchanges[1].request.reply_key->text_bytes, 2u);
}

TEST(recorded_traffic, takes_what_ran_at_its_end_for_cut) {
    recorded_lines lines;
    lines.ask(0);
    lines.tokens({"Hi"});
    EXPECT_TRUE(lines.traffic().exchanges[0].was_cut);
    EXPECT_EQ(lines.traffic().exchanges[0].ended_at, 3ms);
}

// The program was killed during a write.
TEST(recorded_traffic, leaves_out_a_last_line_that_is_not_whole) {
    recorded_lines lines;
    lines.ask(0);
    std::string fault;
    const auto read = parse_traffic(lines.text() + R"({"ms":5,"ans)", fault);
    ASSERT_TRUE(read) << fault;
    EXPECT_EQ(read->exchanges.size(), 1u);
}

TEST(recorded_traffic, reports_that_it_ends_in_the_middle_of_a_request) {
    recorded_lines lines;
    lines.ask(0);
    lines.cut();
    EXPECT_FALSE(lines.traffic().is_unfinished);
    lines.ask(0);
    EXPECT_TRUE(lines.traffic().is_unfinished);
    lines.add(tandem::wire::recording_full{});
    EXPECT_FALSE(lines.traffic().is_unfinished);
}

TEST(recorded_traffic, reports_that_it_ends_in_the_middle_of_a_line) {
    std::string fault;
    const auto read = parse_traffic(start_line + R"({"ms":5,"requ)", fault);
    ASSERT_TRUE(read) << fault;
    EXPECT_TRUE(read->is_unfinished);
}

TEST(recorded_traffic, names_the_line_that_is_wrong) {
    EXPECT_EQ(fault_of_lines(""), "is empty");
    EXPECT_THAT(fault_of_lines("{\"ms\":0,\"cut\":1}\n"), StartsWith("line 1 "));
    EXPECT_THAT(fault_of_lines(start_line + "{\n"), StartsWith("line 2 is not valid JSON"));
    EXPECT_THAT(fault_of_lines(start_line + "{\n" + start_line), StartsWith("line 2 "));
    EXPECT_THAT(fault_of_lines(start_line + start_line), HasSubstr("line 2 is inconsistent"));
    EXPECT_THAT(fault_of_lines(start_line + "{\"ms\":0,\"answer\":1,\"status\":200}\n"),
                HasSubstr("line 2 is inconsistent"));
    EXPECT_THAT(fault_of_lines(start_line + "{\"ms\":0,\"request\":1,\"path\":\"/\"}\n" +
                               "{\"ms\":0,\"answer\":1,\"data\":\"x\"}\n"),
                HasSubstr("line 3 is inconsistent"));
}

TEST(recorded_traffic, has_no_time_that_goes_back) {
    recorded_lines lines;
    lines.ask(0);
    lines.wait(-1ms);
    lines.status(503);
    lines.wait(-1ms);
    lines.end();
    const auto x = lines.traffic().exchanges.at(0);
    EXPECT_EQ(x.status_at, x.sent_at);
    EXPECT_EQ(x.ended_at, x.sent_at);
}

TEST(recorded_traffic, reports_that_its_end_is_missing) {
    recorded_lines lines;
    EXPECT_FALSE(lines.traffic().is_cut_short);
    lines.add(tandem::wire::recording_full{});
    EXPECT_TRUE(lines.traffic().is_cut_short);
}

}  // namespace

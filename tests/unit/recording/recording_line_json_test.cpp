#include "recording/recording_line_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace {

using namespace std::chrono_literals;
using namespace tandem::wire;
using tandem::errc;
using tandem::recorded_request_key;
using testing::HasSubstr;

recording_line read_again(const recording_line& line) {
    std::string fault;
    const auto read = read_recording_line(format_recording_line(line), fault);
    EXPECT_TRUE(read) << format_recording_line(line) << ": " << fault;
    return read.value_or(recording_line{});
}

std::string fault_of_line(std::string_view text) {
    std::string fault;
    EXPECT_FALSE(read_recording_line(text, fault)) << text;
    return fault;
}

TEST(recording_line, says_in_milliseconds_when_it_was) {
    EXPECT_EQ(format_recording_line({1'234'567ns, recorded_cut{7}}), R"({"ms":1.235,"cut":7})");
    EXPECT_EQ(read_again({1'235us, recorded_cut{7}}).at, 1'235us);
}

TEST(recording_line, has_all_of_a_request) {
    const auto line = read_again(
        {1ms, recorded_request{
                  .number = 3,
                  .server = "http://a:1",
                  .method = "POST",
                  .path = "/completion",
                  .body = R"({"prompt":"hi"})",
                  .reply_key = recorded_request_key{
                      .scope_number = 9, .reply = 2, .text_bytes = 17, .is_prefill = true}}});
    const auto& e = std::get<recorded_request>(line.entry);
    EXPECT_EQ(e.number, 3u);
    EXPECT_EQ(e.server, "http://a:1");
    EXPECT_EQ(e.method, "POST");
    EXPECT_EQ(e.path, "/completion");
    EXPECT_EQ(e.body, R"({"prompt":"hi"})");
    ASSERT_TRUE(e.reply_key);
    EXPECT_EQ(e.reply_key->scope_number, 0u) << "the number is valid only in its process";
    EXPECT_EQ(e.reply_key->reply, 2u);
    EXPECT_EQ(e.reply_key->text_bytes, 17u);
    EXPECT_TRUE(e.reply_key->is_prefill);
}

TEST(recording_line, has_no_place_if_the_request_has_none) {
    const auto line = read_again({1ms, recorded_request{.number = 1, .path = "/props"}});
    EXPECT_FALSE(std::get<recorded_request>(line.entry).reply_key);
}

TEST(recording_line, has_each_byte_of_an_answer) {
    std::string all;
    for (int b = 0; b < 256; ++b) all += static_cast<char>(b);
    for (const auto& bytes : {std::string("data: {\"a\": \"é\"}\n\n"), std::string("\xc3"), all,
                              std::string("\0x", 2)}) {
        const auto line = read_again({1ms, recorded_bytes{4, bytes}});
        EXPECT_EQ(std::get<recorded_bytes>(line.entry).bytes, bytes);
    }
}

TEST(recording_line, reports_how_an_answer_ended) {
    const auto failed = std::get<recorded_end>(
        read_again({1ms, recorded_end{1, errc::connect_failed, "nobody"}}).entry);
    EXPECT_EQ(failed.ec, errc::connect_failed);
    EXPECT_EQ(failed.message, "nobody");
    const auto whole = std::get<recorded_end>(read_again({1ms, recorded_end{1, {}, ""}}).entry);
    EXPECT_FALSE(whole.ec);
}

TEST(recording_line, takes_an_error_of_a_later_version_for_a_broken_stream) {
    std::string fault;
    const auto line = read_recording_line(R"({"ms":1,"answer":1,"end":"melted"})", fault);
    ASSERT_TRUE(line) << fault;
    EXPECT_EQ(std::get<recorded_end>(line->entry).ec, errc::stream_incomplete);
}

TEST(recording_line, keeps_the_order_of_a_note) {
    const auto line = read_again({1ms, recorded_note{R"({"z":1,"a":[2]})"}});
    EXPECT_THAT(format_recording_line(line), HasSubstr(R"("note":{)"));
    EXPECT_THAT(format_recording_line({1ms, recorded_note{"no json"}}),
                HasSubstr(R"("note":null)"));
}

TEST(recording_line, is_refused_with_words_if_it_is_none) {
    EXPECT_THAT(fault_of_line("{"), HasSubstr("not valid JSON"));
    EXPECT_THAT(fault_of_line("[]"), HasSubstr("not a line of a recording"));
    EXPECT_THAT(fault_of_line("{}"), HasSubstr("not a line of a recording"));
    EXPECT_THAT(fault_of_line(R"({"ms":1e300,"cut":1})"), HasSubstr("not a line of a recording"));
    EXPECT_THAT(fault_of_line(R"({"ms":0,"recording":2})"), HasSubstr("not a line of a recording"));
    EXPECT_THAT(fault_of_line(R"({"ms":0,"answer":1,"data_hex":"0g"})"), HasSubstr("hexadecimal"));
    EXPECT_THAT(fault_of_line(R"({"ms":0,"answer":1,"data_hex":"012"})"), HasSubstr("hexadecimal"));
}

}  // namespace

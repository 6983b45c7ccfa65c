#include "wire/stream/fast_token_event_reader.hpp"

#include "wire/stream/token_event_decoder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using tandem::wire::read_token_event_fast;
using tandem::wire::token_event;

std::string event(const std::string& content, const std::string& rest) {
    return R"({"index":0,"content":")" + content +
           R"(","tokens":[557],"stop":false,"id_slot":-1,"tokens_predicted":3,"tokens_evaluated":15)" +
           rest;
}

const std::string timings =
    R"(,"timings":{"cache_n":4,"prompt_n":11,"prompt_ms":0.85,"predicted_n":3}})";

// Only the general decoder reads an event with white space.
token_event decoded_in_general(const std::string& event_data) {
    const auto data = fmt::format("{{ {}", event_data.substr(1));
    token_event e;
    EXPECT_FALSE(read_token_event_fast(data, e));
    token_event general;
    EXPECT_FALSE(decode_token_event(data, general)) << data;
    return general;
}

class partial_events : public testing::TestWithParam<std::string> {};

TEST_P(partial_events, are_read_as_the_general_decoder_reads_them) {
    token_event quick;
    ASSERT_TRUE(read_token_event_fast(GetParam(), quick)) << GetParam();
    const auto general = decoded_in_general(GetParam());
    EXPECT_EQ(quick.what, general.what);
    EXPECT_EQ(quick.content, general.content);
    EXPECT_EQ(quick.tokens, general.tokens);
    EXPECT_EQ(quick.predicted, general.predicted);
    EXPECT_EQ(quick.prompt_tokens, general.prompt_tokens);
    EXPECT_EQ(quick.has_timings, general.has_timings);
    EXPECT_EQ(quick.timings.cached, general.timings.cached);
    EXPECT_EQ(quick.timings.evaluated, general.timings.evaluated);
}

INSTANTIATE_TEST_SUITE_P(table, partial_events,
                         testing::Values(event("Hello", timings), event("", timings),
                                         event("Hello", "}"), event(R"(\"\\\/\b\f\n\r\t)", timings),
                                         event("\xE4\xBD\xA0\xF0\x9F\x98\x80", timings),
                                         event("a,b]}:{", timings)));

class other_events : public testing::TestWithParam<std::string> {};

TEST_P(other_events, are_left_to_the_general_decoder) {
    token_event e;
    EXPECT_FALSE(read_token_event_fast(GetParam(), e)) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(
    table, other_events,
    testing::Values("", "{", event("Hello", ""), event("Hello", "}}"), event("\\u00e9", timings),
                    event("half\\", timings), event("line\nbreak", timings),
                    event("Hello", R"(,"prompt_progress":{"total":4}})"),
                    event("Hello", R"(,"timings":{"cache_n":-1,"prompt_n":11,"x":1}})"),
                    event("Hello", R"(,"timings":{"cache_n":01,"prompt_n":11,"x":1}})"),
                    event("Hello", R"(,"timings":{"cache_n":99999999999,"prompt_n":11,"x":1}})"),
                    R"({"index":1,"content":"a","tokens":[1],"stop":false})",
                    R"({"index":0,"content":"a","tokens":[1,2],"stop":false})",
                    R"({"index":0,"content":"a","tokens":[],"stop":false})",
                    R"({"index":0,"content":"","tokens":[],"stop":true})"));

}  // namespace

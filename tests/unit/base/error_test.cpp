#include "tandem/error.hpp"

#include "tandem/result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace {

using tandem::errc;
using tandem::error_code;
using tandem::error_name;
using tandem::is_retryable;
using testing::HasSubstr;
using testing::Not;

// The last value of the enumeration.
constexpr int last = static_cast<int>(errc::draft_skipped);

TEST(error_category, knows_a_name_and_a_sentence_for_each_code) {
    std::set<std::string> names;
    for (int value = 1; value <= last; ++value) {
        const error_code ec(value, tandem::error_category());
        EXPECT_THAT(ec.message(), Not(HasSubstr("unknown"))) << value;
        names.insert(error_name(ec));
    }
    EXPECT_EQ(names.size(), static_cast<std::size_t>(last));
    EXPECT_EQ(names.count("unknown"), 0u);
}

TEST(error_category, says_so_if_a_code_is_unknown) {
    const error_code ec(last + 1, tandem::error_category());
    EXPECT_THAT(ec.message(), HasSubstr("unknown error"));
    EXPECT_EQ(error_name(ec), "unknown");
    EXPECT_FALSE(is_retryable(ec));
}

TEST(error_code, is_made_from_errc) {
    const error_code ec = errc::stream_incomplete;
    EXPECT_EQ(ec, errc::stream_incomplete);
    EXPECT_EQ(error_name(ec), "stream_incomplete");
}

TEST(is_retryable, holds_for_what_may_pass_and_not_for_what_will_fail_again) {
    EXPECT_TRUE(is_retryable(errc::stream_incomplete));
    EXPECT_TRUE(is_retryable(errc::model_loading));
    EXPECT_FALSE(is_retryable(errc::unauthorized));
    EXPECT_FALSE(is_retryable(errc::bad_request));
    EXPECT_FALSE(is_retryable(boost::system::errc::make_error_code(boost::system::errc::io_error)));
}

TEST(diagnostics, keep_our_words_apart_from_the_servers) {
    tandem::diagnostics d;
    d.client_message = "slot 1 was refused";
    EXPECT_EQ(d.to_string(), "slot 1 was refused");
    d.server_message = "nope";
    EXPECT_EQ(d.to_string(), "slot 1 was refused (server message: nope)");
}

TEST(reply_result, writes_the_log_line_of_voice_bots) {
    tandem::reply_result r;
    r.metrics.slot = 0;
    r.metrics.slot_reused = true;
    r.metrics.chunks = 3;
    r.metrics.total_ms = 850.2;
    r.usage.cached = 245;
    r.usage.evaluated = 120;
    EXPECT_EQ(r.metrics_line(),
              "LLMSlotMetrics(slot=0, reused=True, chunks=3, time=850ms, cached=245, eval=120, "
              "hit=67%)");
}

TEST(token_usage, has_a_hit_ratio_of_zero_without_any_prompt_token) {
    EXPECT_EQ(tandem::token_usage{}.cache_hit_ratio(), 0.0);
}

TEST(token_usage, counts_cached_and_evaluated_tokens_as_prompt_tokens) {
    tandem::token_usage u;
    u.cached = 30;
    u.evaluated = 12;
    u.generated = 8;
    EXPECT_EQ(u.prompt_tokens(), 42);
    EXPECT_EQ(u.completion_tokens(), 8);
    EXPECT_EQ(u.total_tokens(), 50);
    EXPECT_EQ(u.cache_read_input_tokens(), 30);
}

}  // namespace

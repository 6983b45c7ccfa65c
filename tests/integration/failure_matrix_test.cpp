#include "integration/failure_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <utility>

// Every fault of the mock server in every state of a reply, with and without retries. The reply
// ends once, as expected, and leaves nothing behind.
namespace tandem::testing {
namespace {

using mock::fault_kind;

struct names {
    std::string operator()(const ::testing::TestParamInfo<combination>& info) const {
        return name_of(info.param);
    }
};

class failure_matrix : public failing_reply, public ::testing::WithParamInterface<combination> {
 protected:
    static void TearDownTestSuite() {
        std::cout << "largest excess over a limit of " << limit.count() << " ms: " << worst_excess_
                  << " ms\n";
    }

    /// The error that is expected of `c`. A dying server may accept and break one more connection
    /// before it closes its port.
    errc expected_of(const consumer& c) const {
        const bool follows_at_once = what.state == reply_state::queued ||
                                     what.state == reply_state::at_the_peek ||
                                     what.state == reply_state::warming;
        const bool may_break = what.kind == fault_kind::crash && follows_at_once &&
                               c.error() == errc::stream_incomplete;
        return may_break ? errc::stream_incomplete : what.error();
    }
    void expect_failure(const consumer& c) {
        const auto code = expected_of(c);
        EXPECT_EQ(c.error(), code) << c.result().diagnostics.to_string();
        EXPECT_EQ(c.result().error, code);
        EXPECT_EQ(c.result().finish_reason, finish_reason::error);
        EXPECT_EQ(
            log.count(log_level::error, fmt::format("reply {}: {}: ", c.id(), error_name(code))),
            1u);
    }
    void expect_whole(const consumer& c) {
        EXPECT_FALSE(c.error()) << c.result().diagnostics.to_string();
        EXPECT_EQ(c.text(), told);
        EXPECT_EQ(c.result().finish_reason, finish_reason::eos);
    }
    void expect_interrupted(const consumer& c) {
        EXPECT_FALSE(c.error());
        EXPECT_EQ(c.result().finish_reason, finish_reason::interrupted);
    }
    /// The timeout must not expire too early. Here, a busy machine may delay it, so
    /// tests/unit/reply/machine/reply_machine_clock_test.cpp tests that it does not expire too
    /// late.
    void expect_no_less_than_limit(double waited_ms) {
        const double limit_ms = std::chrono::duration<double, std::milli>(limit).count();
        EXPECT_GE(waited_ms, limit_ms);
        worst_excess_ = std::max(worst_excess_, waited_ms - limit_ms);
    }
    void expect_limit_kept(const consumer& c) {
        const auto& m = c.result().metrics;
        if (what.error() == errc::first_token_timeout)
            expect_no_less_than_limit(m.longest_first_token_ms);
        const bool at_boundary =
            what.state == reply_state::at_the_peek || what.state == reply_state::holding;
        if (what.error() == errc::between_tokens_timeout ||
            (what.kind == fault_kind::stall && at_boundary))
            expect_no_less_than_limit(m.longest_token_gap_ms);
    }

    static inline double worst_excess_ = 0;
};

class failure_without_retries : public failure_matrix {};

TEST_P(failure_without_retries, ends_the_reply_once_and_leaves_nothing) {
    prepare(GetParam());
    auto c = meet_the_fault(false);
    expect_one_end(c);
    if (what.fails())
        expect_failure(c);
    else if (what.is_interrupted())
        expect_interrupted(c);
    else
        expect_whole(c);
    EXPECT_EQ(c.result().metrics.retries, 0);
    expect_limit_kept(c);
    expect_nothing_left(std::move(c));
}

class failure_with_retries : public failure_matrix {
 protected:
    // A server whose answer is unreadable from the start is not a llama-server, so the reply does
    // not continue.
    bool goes_on() const { return what.error() != errc::bad_response || what.has_text(); }
    bool is_met_by_a_clock() const {
        return what.kind == fault_kind::stall || what.kind == fault_kind::slow_headers;
    }
};

TEST_P(failure_with_retries, leaves_the_reply_whole_and_nothing_else) {
    prepare(GetParam());
    auto c = meet_the_fault(true);
    expect_one_end(c);
    if (what.is_interrupted())
        expect_interrupted(c);
    else if (goes_on())
        expect_whole(c);
    else
        expect_failure(c);
    if (what.fails() && goes_on()) {
        EXPECT_GE(c.result().metrics.retries, 1);
        // On a slow machine, the timeout may expire more than once and cause more retries.
        if (!is_met_by_a_clock()) {
            EXPECT_EQ(c.result().metrics.retries, 1);
        }
    }
    EXPECT_EQ(
        c.result().metrics.retries,
        std::ranges::count(c.result().timeline, timeline_event::kind::lost, &timeline_event::what));
    expect_limit_kept(c);
    expect_nothing_left(std::move(c));
}

INSTANTIATE_TEST_SUITE_P(matrix, failure_without_retries,
                         ::testing::ValuesIn(possible_combinations(false)), names());
INSTANTIATE_TEST_SUITE_P(matrix, failure_with_retries,
                         ::testing::ValuesIn(possible_combinations(true)), names());

}  // namespace
}  // namespace tandem::testing

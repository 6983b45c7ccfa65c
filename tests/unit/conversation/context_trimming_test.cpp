#include "conversation/history/context_trimming.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tandem::conversations {
namespace {

using costs = std::vector<exchange_size>;

/// A context of 1000 tokens: 200 are reserved for the reply, and a quarter is slack.
context_usage make_usage(int prompt, const costs& exchanges) {
    return {.context = 1000,
            .reserve = 200,
            .slack = 0.25,
            .prompt = prompt,
            .opening_bytes = 0,
            .exchanges = exchanges};
}

void expect_plan(const context_usage& use, std::size_t drop, bool fits) {
    const auto plan = plan_trim(use);
    EXPECT_EQ(plan.drop, drop);
    EXPECT_EQ(plan.fits, fits);
}

TEST(plan_trim, drops_nothing_that_fits) {
    const costs five(5, {100, 400});
    expect_plan(make_usage(0, five), 0, true);
    expect_plan(make_usage(800, five), 0, true);
}

TEST(plan_trim, continues_to_the_next_step_once_something_has_to_go) {
    const costs five(5, {100, 400});
    // The slack of 250 tokens is 1000 bytes, which is rounded down to steps of 512 bytes. Exchange
    // 3 is the first to begin after a step.
    expect_plan(make_usage(801, five), 2, true);
    auto use = make_usage(801, five);
    use.dropped_bytes = 400;
    expect_plan(use, 1, true);
}

TEST(plan_trim, begins_successive_prompts_alike_though_each_has_the_whole_history) {
    std::mt19937 random(1);
    costs whole;
    int prompt = 50, changes = 0;
    std::size_t first = 0;
    for (int turn = 0; turn < 200; ++turn) {
        const auto bytes = 40 + random() % 120;
        whole.push_back({-1, bytes});
        // The template adds 8 tokens to each exchange.
        prompt += static_cast<int>(bytes / 4 + 8);
        const auto plan = plan_trim(make_usage(prompt, whole));
        ASSERT_TRUE(plan.fits);
        ASSERT_GE(plan.drop, first);
        if (plan.drop > first) ++changes;
        first = plan.drop;
    }
    // About 6,500 tokens pass through a context from which each trim frees 128 to 250 tokens.
    EXPECT_GE(changes, 20);
    EXPECT_LE(changes, 60);
}

TEST(plan_trim, drops_just_what_it_takes_without_slack) {
    const costs five(5, {100, 400});
    auto use = make_usage(801, five);
    use.slack = 0;
    expect_plan(use, 1, true);
}

TEST(plan_trim, never_drops_what_is_being_answered) {
    const costs two{{50, 200}, {-1, 4000}};
    expect_plan(make_usage(820, two), 1, true);
    expect_plan(make_usage(900, two), 1, false);
    const costs one{{-1, 4000}};
    expect_plan(make_usage(900, one), 0, false);
    expect_plan(make_usage(900, {}), 0, false);
}

TEST(plan_trim, is_content_if_the_slack_cannot_be_freed) {
    const costs two{{50, 200}, {-1, 3000}};
    expect_plan(make_usage(850, two), 1, true);
}

TEST(plan_trim, leaves_room_for_a_token_at_least) {
    auto use = make_usage(999, {});
    use.reserve = 0;
    expect_plan(use, 0, true);
    use.prompt = 1000;
    expect_plan(use, 0, false);
}

TEST(plan_trim, knows_no_bound_if_the_context_is_not_known) {
    const costs five(5, {100, 400});
    auto use = make_usage(100000, five);
    use.context = 0;
    expect_plan(use, 0, true);
}

TEST(plan_trim, estimates_costs_by_the_bytes_of_those_it_knows) {
    // The second exchange is known to have 100 tokens of two bytes each. The first is as long, so
    // its estimate is 100 tokens.
    const costs exchanges{{-1, 200}, {100, 200}, {-1, 200}, {-1, 200}};
    auto use = make_usage(900, exchanges);
    use.slack = 0;
    expect_plan(use, 1, true);
    use.prompt = 901;
    expect_plan(use, 2, true);
}

TEST(plan_trim, estimates_costs_by_the_whole_prompt_if_it_knows_none) {
    // 2400 bytes are 1200 tokens, so the first exchange of 400 bytes has 200 tokens.
    const costs exchanges{{-1, 400}, {-1, 400}, {-1, 600}};
    auto use = make_usage(1200, exchanges);
    use.opening_bytes = 1000;
    use.slack = 0;
    expect_plan(use, 2, true);
    use.prompt = 1201;
    expect_plan(use, 2, false);
}

TEST(plan_trim, gets_on_where_exchanges_seem_to_cost_nothing) {
    const costs empty(10, exchange_size{});
    expect_plan(make_usage(801, empty), 9, true);
}

TEST(plan_trim, frees_enough_or_all_that_may_go) {
    for (unsigned seed = 0; seed < 2000; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        costs exchanges(random() % 12);
        int prompt = static_cast<int>(random() % 300);
        for (auto& e : exchanges) {
            e = {static_cast<int>(random() % 300), random() % 2000};
            prompt += e.tokens;
        }
        const auto use = make_usage(prompt, exchanges);
        const auto plan = plan_trim(use);
        int left = prompt + use.reserve;
        for (std::size_t i = 0; i < plan.drop; ++i) left -= exchanges[i].tokens;
        EXPECT_EQ(plan.fits, left <= use.context);
        EXPECT_TRUE(plan.drop == 0 || plan.drop < exchanges.size());
        EXPECT_TRUE(left <= use.context || plan.drop + 1 >= exchanges.size());
    }
}

TEST(is_trim_likely, looks_ahead_by_what_the_user_says_on_average) {
    const costs known(4, {100, 400});  // four bytes per token
    EXPECT_FALSE(is_trim_likely(make_usage(700, known), 400));
    EXPECT_TRUE(is_trim_likely(make_usage(701, known), 400));
    EXPECT_FALSE(is_trim_likely(make_usage(701, known), 200));
}

TEST(is_trim_likely, is_false_if_the_context_is_not_known) {
    const costs known(4, {100, 400});
    auto use = make_usage(100000, known);
    use.context = 0;
    EXPECT_FALSE(is_trim_likely(use, 400));
}

TEST(predict_next_usage, plans_for_the_turn_to_come) {
    const costs known(5, {100, 400});
    const auto use = make_usage(720, known);
    expect_plan(use, 0, true);
    // The prompt, the next user message and the reserve (720 + 100 + 200 tokens) exceed the
    // context.
    expect_plan(predict_next_usage(use, 400), 2, true);
}

TEST(compute_reply_reserve, is_no_more_than_the_reply_may_have) {
    conversation_options options;
    options.reply_reserve = 512;
    EXPECT_EQ(compute_reply_reserve(options, 0), 512);
    EXPECT_EQ(compute_reply_reserve(options, 100), 100);
    EXPECT_EQ(compute_reply_reserve(options, 2000), 512);
}

}  // namespace
}  // namespace tandem::conversations

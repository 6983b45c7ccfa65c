#include "engine/deferred_tasks.hpp"
#include "engine/slot_pool.hpp"

#include <gtest/gtest.h>

namespace tandem::mock {
namespace {

time_point at(int seconds) {
    return time_point{} + std::chrono::seconds(seconds);
}

TEST(slot_pool, wraps_a_slot_that_is_out_of_range) {
    slot_pool two(2);
    EXPECT_EQ(two.slot_at_wrapped_id(7).id, 1);
    EXPECT_EQ(two.slot_at_wrapped_id(2).id, 0);
    EXPECT_EQ(two.slot_at_wrapped_id(-2).id, 0);
}

TEST(slot_pool, never_gives_another_slot_than_the_wanted_one) {
    slot_pool two(2);
    two.all()[0].task = 1;
    EXPECT_EQ(two.find_idle(0, {1}), nullptr);
    EXPECT_EQ(two.find_idle(1, {1})->id, 1);
}

TEST(slot_pool, prefers_the_slot_whose_tokens_are_most_like_the_prompt) {
    slot_pool three(3);
    three.all()[1].tokens = {1, 2, 9};
    three.all()[2].tokens = {1, 2, 3, 4};
    EXPECT_EQ(three.find_idle(-1, {1, 2, 3, 5})->id, 2);
}

TEST(slot_pool, takes_the_slot_unused_for_longest_if_none_is_like_the_prompt) {
    slot_pool three(3);
    three.all()[0].last_used = at(3);
    three.all()[1].last_used = at(1);
    three.all()[2].last_used = at(2);
    EXPECT_EQ(three.find_idle(-1, {7})->id, 1);
    three.all()[2].last_used.reset();
    EXPECT_EQ(three.find_idle(-1, {7})->id, 2);
}

TEST(slot_pool, has_no_slot_while_all_are_busy) {
    slot_pool one(1);
    one.all()[0].task = 1;
    EXPECT_EQ(one.find_idle(-1, {7}), nullptr);
}

TEST(reusable_tokens, are_the_common_beginning_but_never_the_whole_prompt) {
    const struct {
        std::vector<token_id> held, prompt;
        std::size_t reused;
    } table[] = {
        {{}, {1, 2}, 0},           {{1, 2, 3}, {1, 2, 3, 4}, 3}, {{1, 2, 3}, {1, 2, 4}, 2},
        {{1, 2, 3}, {1, 2, 3}, 2}, {{1, 2, 3}, {1, 2}, 1},       {{1}, {}, 0},
    };
    for (const auto& row : table) EXPECT_EQ(reusable_tokens(row.held, row.prompt), row.reused);
}

TEST(deferred_tasks, give_the_first_task_that_wants_exactly_the_free_slot) {
    deferred_tasks d;
    d.defer(1, -1);
    d.defer(2, 1);
    d.defer(3, 1);
    EXPECT_EQ(d.pop_for(1), 2u);
    EXPECT_EQ(d.pop_for(1), 3u);
}

TEST(deferred_tasks, give_the_oldest_task_even_if_its_slot_is_another) {
    deferred_tasks d;
    d.defer(1, 0);
    d.defer(2, -1);
    EXPECT_EQ(d.pop_for(1), 1u);
}

TEST(deferred_tasks, do_not_recognise_a_wrapped_slot) {
    deferred_tasks d;
    d.defer(1, 0);
    d.defer(2, 3);
    EXPECT_EQ(d.pop_for(1), 1u);
}

TEST(deferred_tasks, forget_a_removed_task) {
    deferred_tasks d;
    d.defer(1, 0);
    d.remove(1);
    EXPECT_EQ(d.pop_for(0), std::nullopt);
}

}  // namespace
}  // namespace tandem::mock

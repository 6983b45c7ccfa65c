#include "probe/measurement_plan.hpp"

#include "unit/command/doctor/doctor_facts_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace {

using namespace tandem::command;
using namespace std::chrono_literals;
using tandem::testing::good_facts;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

TEST(measurement_plan, uses_the_first_two_slots) {
    auto facts = good_facts();
    facts.props.value.total_slots = 3;
    facts.slots.value = {{.id = 0}, {.id = 1}, {.id = 2}};
    EXPECT_THAT(make_measurement_plan(facts).slots, ElementsAre(0, 1));
}

TEST(measurement_plan, keeps_clear_of_slots_that_work_for_others) {
    auto facts = good_facts();
    facts.slots.value = {{.id = 0, .processing = true}, {.id = 1}};
    EXPECT_THAT(make_measurement_plan(facts).slots, ElementsAre(1));
    facts.slots.value[1].processing = true;
    EXPECT_THAT(make_measurement_plan(facts).slots, IsEmpty());
}

TEST(doctor_others, are_seen_at_work_anywhere) {
    const std::vector<tandem::slot_state> before{{.id = 0}, {.id = 1}, {.id = 2}};
    auto now = before;
    EXPECT_EQ(count_foreign_slots(before, now, {0, 1}, std::nullopt), 0);
    now[1].processing = now[2].processing = true;
    EXPECT_EQ(count_foreign_slots(before, now, {0, 1}, std::nullopt), 2);
}

TEST(doctor_others, are_not_taken_for_what_a_cut_left) {
    const std::vector<tandem::slot_state> before{{.id = 0}, {.id = 1}};
    auto now = before;
    now[0].processing = true;
    EXPECT_EQ(count_foreign_slots(before, now, {0, 1}, 0), 0);
    EXPECT_EQ(count_foreign_slots(before, now, {0, 1}, 1), 1);
}

TEST(doctor_others, are_seen_by_what_they_did_meanwhile) {
    const std::vector<tandem::slot_state> before{{.id = 0}, {.id = 1}, {.id = 2}, {.id = 3}};
    auto now = before;
    now[0].task = 8;
    now[2].task = 9;
    EXPECT_EQ(count_foreign_slots(before, now, {0, 1}, std::nullopt), 1);
    EXPECT_EQ(count_foreign_slots(now, now, {0, 1}, std::nullopt), 0);
}

TEST(measurement_plan, uses_the_first_slots_if_the_server_does_not_report_which_are_idle) {
    auto facts = good_facts();
    facts.slots = {};
    EXPECT_THAT(make_measurement_plan(facts).slots, ElementsAre(0, 1));
    EXPECT_FALSE(make_measurement_plan(facts).can_watch);
}

TEST(measurement_plan, does_not_cut_on_a_build_that_may_die_of_it) {
    auto facts = good_facts();
    EXPECT_TRUE(make_measurement_plan(facts).may_cut);
    facts.props.value.build_info = "b7000";
    EXPECT_FALSE(make_measurement_plan(facts).may_cut);
}

TEST(measurement_plan, rests_after_a_cut_unless_the_build_is_known_to_be_sound) {
    auto facts = good_facts();
    EXPECT_EQ(make_measurement_plan(facts).guard, 0s);
    facts.props.value.build_info = "b8000";
    EXPECT_EQ(make_measurement_plan(facts).guard, 2s);
}

TEST(measurement_plan, fits_any_context) {
    for (int context = 64; context <= 1 << 20; context *= 2) {
        auto facts = good_facts();
        facts.props.value.context_per_slot = context;
        const auto plan = make_measurement_plan(facts);
        EXPECT_LT(plan.prompt_tokens + plan.generated + plan.cut_bound + 2, context);
    }
}

TEST(doctor_prompt, is_another_one_for_each_number_from_its_start) {
    EXPECT_THAT(make_unique_prompt(1), StartsWith("1 Line 1 "));
    EXPECT_THAT(make_unique_prompt(0xabc), StartsWith("abc Line 1 "));
}

TEST(doctor_medians, take_what_was_measured_of_each_figure) {
    const auto m = compute_medians({{.first_token_cold_ms = 30, .tokens_after_cut = 0},
                                    {.first_token_cold_ms = 10},
                                    {.first_token_cold_ms = 20, .tokens_after_cut = 2}});
    EXPECT_EQ(m.first_token_cold_ms, 20);
    EXPECT_EQ(m.tokens_after_cut, 0);
    EXPECT_LT(m.cut_to_idle_ms, 0);
    EXPECT_FALSE(m.same_slot);
}

TEST(doctor_medians, keep_the_two_counts_of_a_request_together) {
    const auto m = compute_medians({{.same_slot = cache_usage{0, 280}},
                                    {.same_slot = cache_usage{279, 1}},
                                    {.same_slot = cache_usage{278, 2}}});
    ASSERT_TRUE(m.same_slot);
    EXPECT_EQ(m.same_slot->cached, 278);
    EXPECT_EQ(m.same_slot->evaluated, 2);
}

TEST(doctor_medians, of_no_rounds_are_empty) {
    EXPECT_LT(compute_medians({}).first_token_cold_ms, 0);
}

}  // namespace

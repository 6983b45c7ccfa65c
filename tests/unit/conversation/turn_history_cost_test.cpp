#include "conversation/history/turn_history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tandem::conversations {
namespace {

using ::testing::ElementsAre;

constexpr time_point moment{};

turn_history prompted_history() {
    conversation_options o;
    o.messages = {{"system", "Be brief."}};
    return turn_history(o);
}

/// Appends a user message and records the size of the prompt. A negative size is not recorded.
void say(turn_history& history, int prompt) {
    history.append({"user", "abcd"});
    if (prompt >= 0) history.record_prompt_tokens(prompt);
}

void answer(turn_history& history) {
    history.begin_turn();
    history.record_unspoken_text(moment, "answer");
    history.on_turn_ended(moment, finish_reason::eos);
}

std::vector<int> tokens(const turn_history& history) {
    std::vector<int> list;
    for (const auto& c : history.measure_exchanges()) list.push_back(c.tokens);
    return list;
}

turn_history three_exchanges() {
    auto history = prompted_history();
    for (const int prompt : {50, 80, 120}) {
        say(history, prompt);
        answer(history);
    }
    return history;
}

TEST(turn_history_costs, are_the_differences_of_one_prompt_to_the_next) {
    EXPECT_THAT(tokens(three_exchanges()), ElementsAre(30, 40, -1));
}

TEST(turn_history_costs, are_not_known_beside_a_prompt_that_was_not_counted) {
    turn_history history;
    for (const int prompt : {50, -1, 120, 150}) say(history, prompt);
    EXPECT_THAT(tokens(history), ElementsAre(-1, -1, 30, -1));
}

TEST(turn_history_costs, are_not_known_if_the_prompt_got_shorter) {
    turn_history history;
    for (const int prompt : {50, 40, 60}) say(history, prompt);
    EXPECT_THAT(tokens(history), ElementsAre(-1, 20, -1));
}

TEST(turn_history_costs, are_of_whole_exchanges_where_tools_are_called) {
    turn_history history;
    say(history, 50);
    history.append({.role = "assistant", .tool_calls = {{"1", "weather", "{}"}}});
    history.append({"tool", "sunny", {}, "1"});
    history.record_prompt_tokens(70);
    answer(history);
    say(history, 100);
    EXPECT_THAT(tokens(history), ElementsAre(50, -1));
}

TEST(turn_history_costs, count_bytes_of_all_that_an_exchange_has) {
    auto history = prompted_history();
    say(history, -1);
    history.append({.role = "assistant", .tool_calls = {{"1", "weather", "{}"}}});
    history.append({"tool", "sunny", {}, "1"});
    say(history, -1);
    history.begin_turn();
    history.record_unspoken_text(moment, "Yes.");
    const std::vector<exchange_size> expected{{-1, 4 + 9 + 5}, {-1, 4 + 4}};
    EXPECT_EQ(history.measure_exchanges(), expected);
    EXPECT_EQ(history.system_bytes(), 9u);
    EXPECT_EQ(history.average_user_bytes(), 4u);
}

TEST(turn_history_costs, are_none_if_nothing_was_said) {
    const turn_history history;
    EXPECT_TRUE(history.measure_exchanges().empty());
    EXPECT_EQ(history.average_user_bytes(), 0u);
}

TEST(turn_history_drop, takes_the_oldest_exchanges_and_leaves_the_system_prompt) {
    auto history = three_exchanges();
    EXPECT_EQ(history.drop_oldest(2), 2u);
    const auto left = history.messages();
    ASSERT_EQ(left.size(), 3u);
    EXPECT_EQ(left[0].role, "system");
    EXPECT_EQ(left[1].role, "user");
    EXPECT_EQ(left[2].content, "answer");
}

TEST(turn_history_drop, never_takes_the_last_exchange) {
    auto history = three_exchanges();
    EXPECT_EQ(history.drop_oldest(99), 2u);
    EXPECT_EQ(history.drop_oldest(1), 0u);
    EXPECT_EQ(history.messages().size(), 3u);
    turn_history empty;
    EXPECT_EQ(empty.drop_oldest(1), 0u);
}

TEST(turn_history_drop, keeps_calls_of_tools_and_their_results_together) {
    turn_history history;
    say(history, -1);
    history.append({.role = "assistant", .tool_calls = {{"1", "weather", "{}"}}});
    history.append({"tool", "sunny", {}, "1"});
    answer(history);
    say(history, -1);
    history.drop_oldest(1);
    ASSERT_EQ(history.messages().size(), 1u);
    EXPECT_EQ(history.messages()[0].role, "user");
}

TEST(turn_history_drop, makes_measuring_start_again) {
    auto history = three_exchanges();
    history.drop_oldest(1);
    EXPECT_THAT(tokens(history), ElementsAre(40, -1));
    // The last measurement was of a longer prompt, so the cost of the last exchange stays unknown.
    say(history, 130);
    EXPECT_THAT(tokens(history), ElementsAre(40, -1, -1));
    answer(history);
    say(history, 165);
    EXPECT_THAT(tokens(history), ElementsAre(40, -1, 35, -1));
}

TEST(turn_history_drop, lets_the_prompt_be_measured_before_and_after_it) {
    auto history = three_exchanges();
    say(history, 160);
    EXPECT_THAT(tokens(history), ElementsAre(30, 40, 40, -1));
    history.drop_oldest(2);
    history.record_prompt_tokens(90);
    answer(history);
    say(history, 125);
    EXPECT_THAT(tokens(history), ElementsAre(40, 35, -1));
}

TEST(turn_history_drop, does_not_take_a_prompt_with_half_the_answer_for_the_start) {
    turn_history history;
    say(history, 50);
    answer(history);
    say(history, 80);
    history.begin_turn();
    history.record_unspoken_text(moment, "One two");
    history.on_interrupted(moment);
    history.drop_oldest(1);
    history.resume(moment);
    history.record_prompt_tokens(70);
    history.on_turn_ended(moment, finish_reason::eos);
    say(history, 95);
    EXPECT_THAT(tokens(history), ElementsAre(-1, -1));
}

}  // namespace
}  // namespace tandem::conversations

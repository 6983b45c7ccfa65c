// Tool calls in the history.

#include "chunks.hpp"
#include "conversation/history/turn_history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <vector>

namespace tandem::conversations {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr time_point now{100s};

/// "role: content" of each message, with the functions that the message calls, or the function
/// whose result it contains.
std::vector<std::string> list(const std::vector<chat_message>& messages) {
    std::vector<std::string> lines;
    for (const auto& m : messages) {
        auto line = m.role + ": " + m.content;
        for (const auto& call : m.tool_calls) line += " " + call.name + "#" + call.id;
        if (!m.tool_call_id.empty()) line += " (" + m.name + "#" + m.tool_call_id + ")";
        lines.push_back(std::move(line));
    }
    return lines;
}

/// A turn of one chunk that calls two functions.
class history_of_calls : public testing::Test {
 protected:
    void SetUp() override {
        history.append({"user", "Weather and time?"});
        history.begin_turn();
        history.begin_reply(1);
        history.on_handed_over(chunk_of({1, 0}, "One moment."));
        history.record_calls({{"a", "weather", "{}"}, {"b", "time", "{}"}});
    }

    turn_history history;
};

TEST_F(history_of_calls, has_the_results_after_the_calls_in_the_order_of_the_calls) {
    history.on_turn_ended(now, finish_reason::tool_calls);
    EXPECT_TRUE(history.answer_call("b", "noon"));
    EXPECT_TRUE(history.answer_call("a", "sunny"));
    history.begin_turn();
    EXPECT_THAT(list(history.messages()),
                ElementsAre("user: Weather and time?", "assistant: One moment. weather#a time#b",
                            "tool: sunny (weather#a)", "tool: noon (time#b)"));
}

TEST_F(history_of_calls, takes_a_result_while_the_reply_still_runs) {
    EXPECT_TRUE(history.answer_call("a", "sunny"));
    history.on_turn_ended(now, finish_reason::tool_calls);
    EXPECT_TRUE(history.answer_call("b", "noon"));
}

TEST_F(history_of_calls, says_of_a_call_without_result_that_it_was_interrupted) {
    history.answer_call("a", "sunny");
    history.on_interrupted(now);
    history.append({"user", "Stop."});
    EXPECT_THAT(list(history.messages()),
                ElementsAre("user: Weather and time?", "assistant:  weather#a time#b",
                            "tool: sunny (weather#a)", "tool: No result: interrupted. (time#b)",
                            "user: Stop."));
}

TEST_F(history_of_calls, keeps_the_calls_whole_and_of_the_text_what_was_heard) {
    history.record_heard(now, {1, 0}, 4);
    history.on_interrupted(now);
    EXPECT_THAT(list(history.messages())[1], "assistant: One weather#a time#b");
}

TEST_F(history_of_calls, takes_each_result_once_and_only_of_its_own_calls) {
    EXPECT_TRUE(history.answer_call("a", "sunny"));
    EXPECT_FALSE(history.answer_call("a", "rainy"));
    EXPECT_FALSE(history.answer_call("c", "rainy"));
    history.on_turn_ended(now, finish_reason::tool_calls);
    history.append({"user", "Thanks."});
    EXPECT_FALSE(history.answer_call("b", "noon"));
}

TEST_F(history_of_calls, has_a_result_for_now_until_the_final_one_comes) {
    EXPECT_TRUE(history.answer_call("a", "later", false));
    EXPECT_EQ(history.open_calls(), 1U);
    EXPECT_TRUE(history.answer_call("a", "sunny"));
    EXPECT_FALSE(history.answer_call("a", "rainy"));
    EXPECT_EQ(list(history.messages())[2], "tool: sunny (weather#a)");
}

TEST_F(history_of_calls, takes_a_late_result_as_what_the_user_says) {
    history.answer_call("a", "later", false);
    history.on_turn_ended(now, finish_reason::tool_calls);
    EXPECT_EQ(history.make_late_result_message("b", "noon"), std::nullopt) << "it is not late yet";
    history.begin_turn();
    EXPECT_FALSE(history.answer_call("a", "sunny"));
    EXPECT_EQ(history.make_late_result_message("a", "sunny"),
              (chat_message{.role = "user", .content = "Result of weather {}: sunny"}));
    EXPECT_EQ(history.make_late_result_message("a", "rainy"), std::nullopt) << "once";
}

TEST_F(history_of_calls, takes_a_late_result_of_an_interrupted_call_only) {
    history.answer_call("a", "sunny");
    history.on_interrupted(now);
    history.append({"user", "Stop."});
    EXPECT_EQ(history.make_late_result_message("a", "rainy"), std::nullopt);
    EXPECT_NE(history.make_late_result_message("b", "noon"), std::nullopt);
}

TEST_F(history_of_calls, takes_no_message_with_a_second_result_of_a_call) {
    const chat_message again{.role = "tool", .content = "rainy", .tool_call_id = "a"};
    history.answer_call("a", "sunny");
    history.on_interrupted(now);
    EXPECT_FALSE(history.append(again));
    history.append({"user", "Stop."});
    EXPECT_FALSE(history.append(again));
    EXPECT_THAT(list(history.messages()),
                ElementsAre("user: Weather and time?", "assistant:  weather#a time#b",
                            "tool: sunny (weather#a)", "tool: No result: interrupted. (time#b)",
                            "user: Stop."));
}

TEST_F(history_of_calls, takes_a_message_with_the_result_of_a_call_that_it_does_not_know) {
    history.on_turn_ended(now, finish_reason::eos);
    const chat_message result{.role = "tool", .content = "four", .tool_call_id = "in_text"};
    EXPECT_TRUE(history.append(result));
    EXPECT_FALSE(history.append(result));
}

TEST_F(history_of_calls, takes_a_result_again_if_its_id_was_called_again) {
    const chat_message call{.role = "assistant", .tool_calls = {{"a", "weather", "{}"}}};
    const chat_message result{.role = "tool", .content = "sunny", .tool_call_id = "a"};
    history.answer_call("a", "sunny");
    history.on_turn_ended(now, finish_reason::eos);
    EXPECT_TRUE(history.append(call));
    EXPECT_TRUE(history.append(result));
    EXPECT_FALSE(history.append(result));
}

TEST_F(history_of_calls, omits_long_arguments_from_a_late_result) {
    history.record_calls({{"a", "weather", std::string(300, ' ')}});
    history.on_interrupted(now);
    history.append({"user", "Stop."});
    EXPECT_EQ(history.make_late_result_message("a", "sunny")->content, "Result of weather: sunny");
}

TEST_F(history_of_calls, expects_a_bounded_number_of_late_results) {
    std::vector<tool_call> calls(max_late_calls + 1);
    for (std::size_t i = 0; i < calls.size(); ++i) calls[i].id = std::to_string(i);
    history.record_calls(calls);
    history.on_interrupted(now);
    history.append({"user", "Stop."});
    EXPECT_EQ(history.make_late_result_message("0", ""), std::nullopt);
    EXPECT_NE(history.make_late_result_message("1", ""), std::nullopt);
}

TEST_F(history_of_calls, forgets_the_calls_of_earlier_turns) {
    history.on_turn_ended(now, finish_reason::tool_calls);
    history.begin_turn();
    history.begin_reply(2);
    history.on_handed_over(chunk_of({2, 0}, "It is noon."));
    history.on_turn_ended(now, finish_reason::eos);
    EXPECT_EQ(list(history.messages()).back(), "assistant: It is noon.");
}

TEST_F(history_of_calls, knows_the_messages_before_the_turn) {
    EXPECT_THAT(list(history.messages_before_turn()), ElementsAre("user: Weather and time?"));
}

TEST_F(history_of_calls, takes_a_message_of_a_tool_as_the_result_of_its_call) {
    EXPECT_TRUE(
        history.record_tool_result({.role = "tool", .content = "noon", .tool_call_id = "b"}));
    EXPECT_FALSE(
        history.record_tool_result({.role = "tool", .content = "noon", .tool_call_id = "x"}));
    EXPECT_FALSE(
        history.record_tool_result({.role = "user", .content = "noon", .tool_call_id = "a"}));
    EXPECT_EQ(history.open_calls(), 1U);
}

TEST_F(history_of_calls, gives_ids_of_their_own_to_calls_without_one_or_with_a_used_one) {
    std::vector<tool_call> calls{
        {"a", "time", "{}"}, {"", "time", "{}"}, {"7", "f", "{}"}, {"7", "f", "{}"}};
    history.make_ids_unique(calls);
    EXPECT_EQ(calls[2].id, "7");
    std::set<std::string> ids;
    for (const auto& c : calls) ids.insert(c.id);
    EXPECT_EQ(ids.size(), 4U);
    EXPECT_FALSE(ids.contains("a"));
    EXPECT_EQ(calls[1].id.size(), 9U) << "as the templates of Mistral require";
}

TEST_F(history_of_calls, is_saved_without_a_call_that_lacks_its_result) {
    const auto saved = history.saved();
    EXPECT_THAT(list(saved.exchanges.back().messages),
                ElementsAre("user: Weather and time?", "assistant:  weather#a time#b",
                            "tool: No result: interrupted. (weather#a)",
                            "tool: No result: interrupted. (time#b)"));
}

TEST_F(history_of_calls, is_saved_with_the_calls_whose_results_may_still_come) {
    history.answer_call("a", "later", false);
    turn_history restored(history.saved());
    EXPECT_FALSE(restored.answer_call("a", "sunny")) << "its turn is over";
    EXPECT_EQ(restored.make_late_result_message("a", "sunny")->content,
              "Result of weather {}: sunny");
    EXPECT_EQ(restored.make_late_result_message("b", "noon")->content, "Result of time {}: noon");
    EXPECT_THAT(restored.saved().late_calls, IsEmpty()) << "once";
}

TEST_F(history_of_calls, is_saved_without_the_calls_that_have_their_results) {
    history.answer_call("a", "sunny");
    EXPECT_THAT(history.saved().late_calls, ElementsAre(tool_call{"b", "time", "{}"}));
}

TEST_F(history_of_calls, has_a_filler_before_the_text_of_the_turn_that_has_ended) {
    history.add_filler("Hm.");
    EXPECT_EQ(list(history.messages())[1], "assistant: One moment. weather#a time#b")
        << "the model has yet to continue the prompt";
    history.on_turn_ended(now, finish_reason::tool_calls);
    EXPECT_EQ(list(history.messages())[1], "assistant: Hm. One moment. weather#a time#b");
    history.begin_turn();
    history.begin_reply(2);
    history.on_handed_over(chunk_of({2, 0}, "It is noon."));
    history.on_turn_ended(now, finish_reason::eos);
    EXPECT_EQ(list(history.messages()).back(), "assistant: It is noon.");
}

TEST_F(history_of_calls, keeps_a_filler_of_a_turn_of_which_nothing_was_heard) {
    history.add_filler("Hm.");
    history.on_interrupted(now);
    EXPECT_EQ(list(history.messages())[1], "assistant: Hm. weather#a time#b");
}

}  // namespace
}  // namespace tandem::conversations

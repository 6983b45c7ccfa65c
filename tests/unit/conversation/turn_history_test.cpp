#include "conversation/history/turn_history.hpp"

#include "chunks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <malloc.h>
#include <string>
#include <vector>

namespace tandem::conversations {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr time_point start{100s};

chat_message user(std::string text) {
    return {"user", std::move(text)};
}
chat_message assistant(std::string text) {
    return {"assistant", std::move(text)};
}

/// "role: content" of each message.
std::vector<std::string> told(const std::vector<chat_message>& messages) {
    std::vector<std::string> lines;
    for (const auto& m : messages) lines.push_back(m.role + ": " + m.content);
    return lines;
}

conversation_options with_prompt() {
    conversation_options o;
    o.messages = {{"system", "Be brief."}};
    o.interrupted_mark = "…";
    return o;
}

/// A user's question, and a turn with two chunks of reply 1. end_turn() adds an unspoken text.
class history : public testing::Test {
 protected:
    void begin_turn(std::string question = "Hi") {
        history_.append(user(std::move(question)));
        history_.begin_turn();
        history_.begin_reply(1);
        history_.on_handed_over(chunk_of({1, 0}, "One two."));
        history_.on_handed_over(chunk_of({1, 1}, " Three four."));
    }
    void end_turn(finish_reason why) {
        history_.record_unspoken_text(start, " Five");
        history_.on_turn_ended(start, why);
    }
    void hear(std::size_t characters, time_point now = start) {
        history_.record_heard(now, {1, 0}, characters);
    }
    std::string last() const { return told(history_.messages()).back(); }

    turn_history history_{with_prompt()};
};

// Messages

TEST_F(history, starts_with_the_messages_of_the_options) {
    auto o = with_prompt();
    o.messages.push_back(assistant("Hello!"));
    const turn_history greeted(o);
    EXPECT_THAT(told(greeted.messages()), ElementsAre("system: Be brief.", "assistant: Hello!"));
    EXPECT_EQ(greeted.state(start), turn_state::none);
}

TEST_F(history, separates_a_sentence_of_the_assistant_from_the_next_one) {
    history_.append(assistant("Hello!"));
    history_.append(assistant("How are y"));
    history_.append(assistant("ou?"));
    EXPECT_THAT(told(history_.messages()),
                ElementsAre("system: Be brief.", "assistant: Hello! How are you?"));
}

TEST_F(history, takes_messages_of_all_roles_in_their_order) {
    history_.append(user("Weather?"));
    history_.append({"assistant", "", {{"1", "weather", "{}"}}});
    history_.append({"tool", "sunny", {}, "1", "weather"});
    history_.append({"system", "Say it nicely."});
    EXPECT_THAT(told(history_.messages()),
                ElementsAre("system: Be brief.", "user: Weather?", "assistant: ", "tool: sunny",
                            "system: Say it nicely."));
    EXPECT_EQ(history_.messages()[3].tool_call_id, "1");
}

TEST_F(history, takes_no_message_while_a_turn_runs) {
    begin_turn();
    EXPECT_FALSE(history_.append(user("Wait")));
    EXPECT_FALSE(history_.begin_turn());
    history_.on_interrupted(start);
    EXPECT_TRUE(history_.append(user("Wait")));
}

TEST_F(history, joins_what_the_user_said_twice_for_the_prompt_only) {
    history_.append(user("Hi"));
    history_.append(user("there"));
    EXPECT_THAT(told(history_.messages()), ElementsAre("system: Be brief.", "user: Hi\nthere"));
    EXPECT_THAT(told(history_.transcript()),
                ElementsAre("system: Be brief.", "user: Hi", "user: there"));
}

// The end of a turn

TEST_F(history, keeps_all_of_a_turn_that_ended_by_itself_though_nobody_told_it_was_heard) {
    for (const auto why : {finish_reason::eos, finish_reason::stop_word, finish_reason::length}) {
        begin_turn();
        end_turn(why);
        EXPECT_EQ(history_.state(start), turn_state::ended);
        EXPECT_EQ(last(), "assistant: One two. Three four. Five");
    }
}

TEST_F(history, keeps_what_was_heard_of_an_interrupted_turn) {
    begin_turn();
    hear(5);
    history_.on_interrupted(start);
    EXPECT_EQ(last(), "assistant: One…");
}

TEST_F(history, keeps_what_the_policy_says_of_an_interrupted_turn) {
    auto o = with_prompt();
    o.interrupted = history_policy::handed_over;
    history_ = turn_history(o);
    begin_turn();
    end_turn(finish_reason::interrupted);
    EXPECT_EQ(last(), "assistant: One two. Three four.…");
}

TEST_F(history, keeps_what_was_handed_over_of_a_turn_that_failed) {
    begin_turn();
    end_turn(finish_reason::error);
    EXPECT_EQ(last(), "assistant: One two. Three four.");
}

TEST_F(history, has_no_message_of_a_turn_that_left_nothing) {
    begin_turn("Hi");
    history_.on_interrupted(start);
    history_.append(user("Are you there?"));
    EXPECT_THAT(told(history_.messages()),
                ElementsAre("system: Be brief.", "user: Hi\nAre you there?"));
    EXPECT_THAT(told(history_.transcript()),
                ElementsAre("system: Be brief.", "user: Hi", "user: Are you there?"));
}

TEST_F(history, has_no_message_of_white_space) {
    history_.append(user("Hi"));
    history_.begin_turn();
    history_.record_unspoken_text(start, " \n");
    history_.on_turn_ended(start, finish_reason::eos);
    EXPECT_EQ(last(), "user: Hi");
}

TEST_F(history, shows_a_running_turn_with_all_that_was_generated) {
    begin_turn();
    EXPECT_EQ(history_.state(start), turn_state::running);
    EXPECT_EQ(last(), "assistant: One two. Three four.");
    history_.record_unspoken_text(start, " Five");
    EXPECT_EQ(last(), "assistant: One two. Three four. Five");
}

TEST_F(history, lets_the_assistant_speak_first) {
    history_.begin_turn();
    history_.begin_reply(1);
    history_.on_handed_over(chunk_of({1, 0}, "Hello!"));
    history_.on_turn_ended(start, finish_reason::eos);
    history_.append(user("Hi"));
    EXPECT_THAT(told(history_.messages()),
                ElementsAre("system: Be brief.", "assistant: Hello!", "user: Hi"));
}

// Interrupts

TEST_F(history, can_be_interrupted_while_the_last_chunk_of_a_complete_turn_is_spoken) {
    begin_turn();
    end_turn(finish_reason::eos);
    hear(7);
    EXPECT_TRUE(history_.on_interrupted(start + 1s));
    EXPECT_EQ(last(), "assistant: One two.…");
}

TEST_F(history, counts_the_first_interrupt_only) {
    begin_turn();
    EXPECT_TRUE(history_.on_interrupted(start));
    EXPECT_FALSE(history_.on_interrupted(start + 4s));
    history_.on_turn_ended(start + 4s, finish_reason::interrupted);
    EXPECT_FALSE(history_.can_resume(start + 5s));
}

TEST_F(history, knows_no_interrupt_if_no_turn_is_open) {
    EXPECT_FALSE(history_.on_interrupted(start));
    begin_turn();
    end_turn(finish_reason::eos);
    history_.append(user("Next"));
    EXPECT_FALSE(history_.on_interrupted(start));
    EXPECT_EQ(told(history_.transcript())[2], "assistant: One two. Three four. Five");
}

// Settlement of a turn

TEST_F(history, counts_late_reports_until_the_grace_is_over) {
    begin_turn();
    end_turn(finish_reason::interrupted);
    EXPECT_TRUE(history_.record_heard(start + 4999ms, {1, 0}, 3));
    EXPECT_EQ(last(), "assistant: One…");
    EXPECT_EQ(history_.state(start + 4999ms), turn_state::ended);
    EXPECT_EQ(history_.state(start + 5s), turn_state::settled);
    EXPECT_FALSE(history_.record_heard(start + 5s, {1, 0}, 8));
    EXPECT_FALSE(history_.record_heard_share(start + 5s, {1, 0}, 1));
    history_.on_continued(start + 5s, {1, 1});
    history_.record_unspoken_text(start + 5s, " Six");
    EXPECT_EQ(last(), "assistant: One…");
}

TEST_F(history, is_settled_by_the_next_message) {
    begin_turn();
    end_turn(finish_reason::interrupted);
    hear(3);
    history_.append(user("Next"));
    EXPECT_EQ(history_.state(start), turn_state::settled);
    EXPECT_FALSE(history_.record_heard(start, {1, 1}, 5));
    EXPECT_EQ(told(history_.transcript())[2], "assistant: One…");
}

TEST_F(history, is_settled_by_the_next_turn) {
    begin_turn();
    end_turn(finish_reason::interrupted);
    hear(3);
    EXPECT_TRUE(history_.begin_turn());
    EXPECT_FALSE(history_.record_heard(start, {1, 1}, 5));
    EXPECT_EQ(last(), "assistant: One…");
}

TEST_F(history, is_not_settled_by_time_if_there_was_no_interrupt) {
    begin_turn();
    end_turn(finish_reason::eos);
    EXPECT_EQ(history_.state(start + 24h), turn_state::ended);
    EXPECT_TRUE(history_.record_heard(start + 24h, {1, 0}, 3));
    EXPECT_TRUE(history_.on_interrupted(start + 24h));
    EXPECT_EQ(last(), "assistant: One…");
}

TEST_F(history, remembers_how_far_the_last_turn_got) {
    begin_turn();
    end_turn(finish_reason::interrupted);
    hear(3);
    const saved_turn figures{25, 20, 3};
    EXPECT_EQ(history_.last_turn(), figures);
    history_.append(user("Next"));
    EXPECT_EQ(history_.last_turn(), figures);
}

// Resumes

TEST_F(history, continues_from_the_last_word_that_was_heard) {
    begin_turn();
    end_turn(finish_reason::interrupted);
    hear(5);
    ASSERT_TRUE(history_.can_resume(start + 1s));
    EXPECT_EQ(history_.resume(start + 1s), " two. Three four. Five");
    EXPECT_EQ(history_.state(start + 1s), turn_state::running);
    EXPECT_EQ(last(), "assistant: One two. Three four. Five");
    history_.begin_reply(2);
    history_.on_handed_over(chunk_of({2, 0}, " two."));
    EXPECT_FALSE(history_.record_heard(start + 2s, {1, 1}, 5));
    EXPECT_TRUE(history_.record_heard(start + 2s, {2, 0}, 4));
    history_.on_interrupted(start + 2s);
    EXPECT_EQ(last(), "assistant: One two.…");
}

TEST_F(history, takes_no_continue_of_a_silenced_voice_for_heard) {
    begin_turn();
    end_turn(finish_reason::interrupted);
    history_.on_continued(start, {1, 1});
    EXPECT_EQ(last(), "user: Hi");
}

TEST_F(history, keeps_a_late_result_of_a_tool_with_its_call) {
    history_.append(user("What is the time?"));
    history_.append({.role = "assistant", .tool_calls = {{.id = "1", .name = "clock"}}});
    history_.append(user("Are you there?"));
    history_.append({.role = "tool", .content = "noon", .tool_call_id = "1"});
    history_.append(user("Thanks."));
    EXPECT_EQ(history_.measure_exchanges().size(), 2u) << "the user spoke before the tool did";
}

TEST_F(history, joins_what_the_assistant_said_in_two_turns_without_a_word_between) {
    begin_turn();
    end_turn(finish_reason::error);
    const auto at_first = history_.messages().size();
    history_.begin_turn();
    history_.begin_reply(2);
    history_.on_handed_over(chunk_of({2, 0}, " Six."));
    history_.on_turn_ended(start, finish_reason::eos);
    EXPECT_EQ(history_.messages().size(), at_first);
    EXPECT_EQ(history_.transcript().size(), at_first + 1);
}

TEST_F(history, parts_a_given_text_from_the_words_before_it) {
    begin_turn();
    hear(3);
    end_turn(finish_reason::interrupted);
    history_.begin_turn();
    history_.set_given_text("One moment.");
    history_.begin_reply(2);
    history_.on_handed_over(chunk_of({2, 0}, "One moment."));
    history_.on_turn_ended(start, finish_reason::eos);
    EXPECT_EQ(last(), "assistant: One… One moment.");
}

TEST_F(history, saves_a_given_text_whole_while_it_is_spoken) {
    history_.begin_turn();
    history_.set_given_text("Good evening. This is the Blue Heron.");
    history_.begin_reply(1);
    history_.on_handed_over(chunk_of({1, 0}, "Good evening."));
    history_.on_continued(start, {1, 0});
    turn_history elsewhere(history_.saved(), start);
    EXPECT_EQ(elsewhere.resume(start), " This is the Blue Heron.");
    EXPECT_TRUE(elsewhere.is_turn_complete()) << "nothing is generated";
}

TEST_F(history, continues_within_the_grace_only) {
    begin_turn();
    end_turn(finish_reason::interrupted);
    EXPECT_TRUE(history_.can_resume(start + 4999ms));
    EXPECT_FALSE(history_.can_resume(start + 5s));
    EXPECT_EQ(history_.resume(start + 5s), std::nullopt);
}

TEST_F(history, does_not_continue_without_a_grace) {
    auto o = with_prompt();
    o.resume_grace = 0s;
    history_ = turn_history(o);
    begin_turn();
    hear(3);
    history_.on_interrupted(start);
    EXPECT_FALSE(history_.can_resume(start));
    EXPECT_EQ(last(), "assistant: One…");
}

TEST_F(history, does_not_continue_if_nobody_interrupted) {
    EXPECT_EQ(history_.resume(start), std::nullopt);
    begin_turn();
    EXPECT_EQ(history_.resume(start), std::nullopt);
    end_turn(finish_reason::eos);
    EXPECT_EQ(history_.resume(start), std::nullopt);
}

TEST_F(history, does_not_continue_after_the_next_message) {
    begin_turn();
    end_turn(finish_reason::interrupted);
    history_.append(user("Next"));
    EXPECT_FALSE(history_.can_resume(start));
}

// Calls without a running turn, and the size of an idle history

TEST_F(history, takes_no_harm_from_reports_without_a_turn) {
    history_.begin_reply(1);
    history_.on_handed_over(chunk_of({1, 0}, "a"));
    history_.record_unspoken_text(start, "b");
    history_.on_continued(start, {1, 0});
    EXPECT_FALSE(history_.record_heard(start, {1, 0}, 1));
    history_.on_turn_ended(start, finish_reason::eos);
    EXPECT_THAT(told(history_.messages()), ElementsAre("system: Be brief."));
}

TEST_F(history, takes_no_chunk_after_the_interrupt) {
    begin_turn();
    history_.on_interrupted(start);
    history_.on_handed_over(chunk_of({1, 2}, " Late."));
    EXPECT_EQ(history_.last_turn().handed_over, 20u);
}

TEST_F(history, is_small_while_it_is_idle) {
    constexpr std::ptrdiff_t count = 50;
    const auto allocated = [] { return static_cast<std::ptrdiff_t>(mallinfo2().uordblks); };
    const auto before = allocated();
    std::vector<turn_history> many(count, history_);
    for (auto& one : many) {
        history_ = turn_history(with_prompt());
        for (int i = 0; i < 5; ++i) {
            begin_turn(std::string(100, 'q'));
            history_.record_unspoken_text(start, std::string(500, 'a'));
            history_.on_turn_ended(start, finish_reason::eos);
        }
        one = history_;
    }
    EXPECT_LT((allocated() - before) / count, 12 << 10);
}

}  // namespace
}  // namespace tandem::conversations

#include "gateway/answers/shared_answers.hpp"

#include "support/at.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using test::at;
using answer_ptr = shared_answers::answer_ptr;

question_key key(unsigned char name) {
    question_key k{};
    k[0] = name;
    return k;
}

answer_ptr whole(std::string text = "Yes.", finish_reason reason = finish_reason::eos) {
    return std::make_shared<const finished_answer>(
        finished_answer{.text = std::move(text), .reason = reason});
}

/// Asks it, and has it answered at once.
void ask_and_answer(shared_answers& answers, unsigned char name, answer_ptr answer,
                    time_point now = at(0s)) {
    const auto asked = answers.ask(now, key(name));
    ASSERT_TRUE(asked.is_first);
    answers.answered(now, asked.question, std::move(answer));
}

bool has(shared_answers& answers, unsigned char name, time_point now = at(0s)) {
    const auto asked = answers.ask(now, key(name));
    if (!asked.answer) answers.leave(asked.question);
    return asked.answer != nullptr;
}

TEST(shared_answers, ask_a_server_once_for_all_who_ask_the_same_at_a_time) {
    shared_answers answers;
    const auto first = answers.ask(at(0s), key(1));
    EXPECT_TRUE(first.is_first);
    const auto second = answers.ask(at(1s), key(1));
    EXPECT_FALSE(second.is_first);
    EXPECT_FALSE(second.answer);
    EXPECT_EQ(second.question, first.question);
    const auto other = answers.ask(at(1s), key(2));
    EXPECT_TRUE(other.is_first);
    EXPECT_NE(other.question, first.question);
}

TEST(shared_answers, ask_alone_what_has_no_key) {
    shared_answers answers;
    const auto first = answers.ask(at(0s), std::nullopt);
    const auto second = answers.ask(at(0s), std::nullopt);
    EXPECT_TRUE(first.is_first && second.is_first);
    EXPECT_NE(first.question, second.question);
    answers.answered(at(0s), first.question, whole());
    EXPECT_EQ(answers.kept(), 0u);
    EXPECT_TRUE(answers.leave(second.question));
    EXPECT_EQ(answers.open_questions(), 0u);
}

TEST(shared_answers, are_given_again_while_they_are_kept) {
    shared_answers answers({.entries = 9, .bytes = 9999, .ttl = 60s});
    const auto answer = whole();
    ask_and_answer(answers, 1, answer);
    EXPECT_EQ(answers.ask(at(59s), key(1)).answer, answer);
    EXPECT_FALSE(has(answers, 1, at(60s)));
    EXPECT_EQ(answers.kept_bytes(), 0u);
}

TEST(shared_answers, are_kept_only_if_they_are_whole) {
    shared_answers answers;
    ask_and_answer(answers, 1, nullptr);
    ask_and_answer(answers, 2, whole("Ye", finish_reason::interrupted));
    ask_and_answer(answers, 3, whole("Ye", finish_reason::error));
    EXPECT_EQ(answers.kept(), 0u);
    ask_and_answer(answers, 4, whole("Yes", finish_reason::length));
    ask_and_answer(answers, 5, whole("Yes", finish_reason::stop_word));
    EXPECT_EQ(answers.kept(), 2u);
}

TEST(shared_answers, end_a_reply_when_the_last_one_who_waits_is_gone) {
    shared_answers answers;
    const auto q = answers.ask(at(0s), key(1)).question;
    answers.ask(at(0s), key(1));
    EXPECT_FALSE(answers.leave(q));
    EXPECT_TRUE(answers.leave(q));
    EXPECT_FALSE(answers.leave(q)) << "it is over";
    const auto next = answers.ask(at(0s), key(1));
    EXPECT_TRUE(next.is_first) << "nobody joins a reply that ends";
    answers.answered(at(0s), q, whole());
    EXPECT_EQ(answers.kept(), 0u) << "what comes of it is nobody's";
    EXPECT_EQ(answers.open_questions(), 1u);
}

TEST(shared_answers, make_room_for_new_ones_by_what_was_not_asked_for_longest) {
    shared_answers answers({.entries = 2, .bytes = 9999, .ttl = 60s});
    ask_and_answer(answers, 1, whole());
    ask_and_answer(answers, 2, whole());
    EXPECT_TRUE(has(answers, 1));
    ask_and_answer(answers, 3, whole());
    EXPECT_TRUE(has(answers, 1));
    EXPECT_FALSE(has(answers, 2));
    EXPECT_TRUE(has(answers, 3));
}

TEST(shared_answers, are_bounded_in_bytes) {
    const auto one = bytes_of(*whole(std::string(1000, 'x')));
    shared_answers answers({.entries = 100, .bytes = 2 * one, .ttl = 60s});
    for (unsigned char name = 1; name <= 3; ++name)
        ask_and_answer(answers, name, whole(std::string(1000, 'x')));
    EXPECT_EQ(answers.kept(), 2u);
    EXPECT_EQ(answers.kept_bytes(), 2 * one);
    EXPECT_FALSE(has(answers, 1));
    ask_and_answer(answers, 4, whole(std::string(5000, 'x')));
    EXPECT_FALSE(has(answers, 4)) << "too large";
    EXPECT_TRUE(has(answers, 3)) << "and takes nobody's place";
}

TEST(shared_answers, are_none_where_they_are_switched_off) {
    shared_answers answers({.entries = 0});
    EXPECT_FALSE(answers.is_on());
    const auto first = answers.ask(at(0s), key(1));
    EXPECT_TRUE(answers.ask(at(0s), key(1)).is_first);
    answers.answered(at(0s), first.question, whole());
    EXPECT_FALSE(has(answers, 1));
}

}  // namespace
}  // namespace tandem::gateway

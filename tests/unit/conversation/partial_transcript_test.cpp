#include "conversation/history/partial_transcript.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace tandem::conversations {
namespace {

TEST(select_settled_words, are_all_but_the_last_word) {
    const struct {
        const char *text, *words;
    } rows[] = {{"", ""},
                {"I", ""},
                {"I wo", "I"},
                {"I would like", "I would"},
                {"I would ", "I would"},
                {"I would\u00a0like", "I would"},
                {"Ich h\u00e4tte", "Ich"}};
    for (const auto& row : rows)
        EXPECT_EQ(select_settled_words(row.text, {}), row.words) << row.text;
}

TEST(select_settled_words, of_a_text_without_spaces_are_all_but_its_last_characters) {
    std::string text;
    for (int i = 0; i < 20; ++i) text += "\u5929";
    EXPECT_EQ(select_settled_words(text, {}), text.substr(0, 16 * 3));
}

TEST(select_settled_words, are_those_that_will_not_change_if_the_recognizer_knows_them) {
    EXPECT_EQ(select_settled_words("H\u00e4tte gern", 5), "H\u00e4tte");
    EXPECT_EQ(select_settled_words("I would", 2), "I");
    EXPECT_EQ(select_settled_words("I would", 0), "");
    EXPECT_EQ(select_settled_words("I would", 100), "I would");
}

TEST(select_repeated_words, are_those_of_two_partials_but_for_the_last_one) {
    EXPECT_EQ(select_repeated_words("", "Do you"), "");
    EXPECT_EQ(select_repeated_words("Do you have", "Do you have a table"), "Do you");
    EXPECT_EQ(select_repeated_words("Do you have a ta", "Do you have a table"), "Do you have a");
    EXPECT_EQ(select_repeated_words("Do you have a cable", "Do you have a table"), "Do you have a");
}

TEST(server_failed_to_roll_back, is_true_if_far_more_than_the_revised_words_was_evaluated) {
    EXPECT_FALSE(server_failed_to_roll_back(95, 5, 950, 1000));
    EXPECT_FALSE(server_failed_to_roll_back(80, 20, 950, 1000)) << "few tokens prove nothing";
    EXPECT_TRUE(server_failed_to_roll_back(0, 100, 950, 1000));
    EXPECT_FALSE(server_failed_to_roll_back(0, 100, 0, 1000)) << "all of it was revised";
    EXPECT_FALSE(server_failed_to_roll_back(0, 0, 0, 0));
}

TEST(is_worth_prefill, is_true_for_two_words_that_were_not_evaluated) {
    EXPECT_FALSE(is_worth_prefill("", ""));
    EXPECT_FALSE(is_worth_prefill("I", ""));
    EXPECT_TRUE(is_worth_prefill("I would", ""));
    EXPECT_FALSE(is_worth_prefill("I would", "I would"));
    EXPECT_FALSE(is_worth_prefill("I would like", "I would"));
    EXPECT_TRUE(is_worth_prefill("I would like a", "I would"));
    EXPECT_TRUE(is_worth_prefill("I could like a", "I would like a")) << "revised";
    EXPECT_FALSE(is_worth_prefill("I", "I would like"));
}

TEST(is_worth_prefill, is_true_for_as_much_text_without_spaces) {
    EXPECT_TRUE(is_worth_prefill(std::string(50, 'x'), ""));
    EXPECT_FALSE(is_worth_prefill(std::string(50, 'x'), std::string(40, 'x')));
}

TEST(has_same_words, ignores_case_spaces_and_the_marks_of_sentences) {
    EXPECT_TRUE(has_same_words("Do you have a table for four", "do you have a table, for four?"));
    EXPECT_TRUE(has_same_words("\u00c4pfel, und Birnen!", "\u00e4pfel und birnen"));
    EXPECT_TRUE(has_same_words("I\u2019ll come", "I'll come."));
    EXPECT_TRUE(has_same_words("room 12", "Room 12."));
    EXPECT_TRUE(has_same_words("\u0928\u092e\u0938\u094d\u0924\u0947\u0964",
                               "\u0928\u092e\u0938\u094d\u0924\u0947"));
    EXPECT_TRUE(has_same_words("\u0645\u0631\u062d\u0628\u0627\u060c \u0646\u0639\u0645\u061f",
                               "\u0645\u0631\u062d\u0628\u0627 \u0646\u0639\u0645"));
    EXPECT_FALSE(has_same_words("a table for four", "a table for five"));
    EXPECT_FALSE(has_same_words("a table", "a table for four"));
}

TEST(has_same_words, is_false_for_texts_that_are_said_in_another_way) {
    const struct {
        const char *a, *b;
    } rows[] = {{"5 $", "5 \u20ac"}, {"5 %", "5"},       {"3.5", "35"},
                {"3.5", "3-5"},      {"3.5", "3 5"},     {"1 2", "12"},
                {"-5", "5"},         {".5", "5"},        {"I'll come", "ill come"},
                {"we're", "were"},   {"bomb", "b-o-m-b"}};
    for (const auto& row : rows) EXPECT_FALSE(has_same_words(row.a, row.b)) << row.a << row.b;
}

TEST(has_same_words, is_false_without_words) {
    EXPECT_FALSE(has_same_words("?", "..."));
    EXPECT_FALSE(has_same_words("", ""));
}

TEST(is_beginning_of, is_true_for_the_words_that_were_said_first) {
    EXPECT_TRUE(is_beginning_of("Do you ha", "do you have a table?"));
    EXPECT_TRUE(is_beginning_of("Do you have a table", "do you have a table?"));
    EXPECT_FALSE(is_beginning_of("Do you have a table for", "do you have a table?"));
    EXPECT_FALSE(is_beginning_of("Do I", "do you have a table?"));
}

}  // namespace
}  // namespace tandem::conversations

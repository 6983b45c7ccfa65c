#include "sentence_table.hpp"

#include <gtest/gtest.h>

namespace tandem::text {
namespace {

TEST(straight_quotes, close_with_their_sentence) {
    expect_sentences({
        "She said, \"I am tired.\"| Then she slept.",
        "\"Where are you?\"| The line was dead.",
        "He wrote \"Do not enter!\"| Nobody did.",
        "They call it \"the pit\".| It is deep.",
        "'I am here.'| Nobody heard.",
    });
}

TEST(straight_quotes, continue_with_the_one_who_speaks) {
    expect_sentences({
        "\"Come in!\" she said.| He came in.",
        "\"Who is it?\" asked Tom.| No answer came.",
        "\"Stop.\" he said.",
        "\"Really?\" said the old man.| \"Yes.\"",
    });
}

TEST(short_quotations, are_said_in_one_breath) {
    expect_sentences({
        "\"I went home. It was late.\"",
        "“I went home. It was late.”| She smiled.",
        "\"Stop! Sit down!\" she said.| We sat down.",
    });
}

TEST(long_quotations, hold_sentences_of_their_own) {
    expect_sentences({
        "“I went home from the station as soon as the last train had left the town.| It was late.”",
        "He said, \"The film that we have waited for all evening long is going to start now.| Sit "
        "down.\"| We sat down.",
    });
}

TEST(curly_quotes, close_with_their_sentence) {
    expect_sentences({
        "She said, “I am tired.”| Then she slept.",
        "“Where are you?”| The line was dead.",
        {"‘I am here.’| Nobody heard.", whole_text | characters | random_pieces},
        "“Come in!” she said.| He came in.",
        "He asked, “Why?”| I do not know.",
    });
}

TEST(nested_quotes, close_together) {
    expect_sentences({
        "He said, “She told me ‘no.’”| I left.",
        "\"He said 'go.'\"| So I went.",
        "“Did he say ‘stop’?”| Yes.",
    });
}

TEST(opening_quotes, belong_to_the_next_sentence) {
    expect_sentences({
        "He stood up.| \"I agree,\" he said.",
        "He stood up.| “I agree,” he said.",
        "We waited.| (Nobody came.)| We left.",
        "Is it true?| \"Yes, it is.\"",
    });
}

TEST(cjk_quotes, close_with_their_sentence) {
    expect_sentences({
        "他說：「我累了。」|然後他睡了。",
        "彼は「はい。」と言った。|私は帰った。",
        "“我累了。”他说。|我留下了。",
    });
}

TEST(guillemets, close_with_their_sentence) {
    expect_sentences({
        "Il a dit : «Je viens.»| Puis il est parti.",
        {"Er sagte: »Ich komme.«| Dann ging er.", whole_text | characters | random_pieces},
        "Он сказал: «Я иду.»| Потом ушёл.",
    });
}

TEST(brackets, hold_no_end_of_a_sentence) {
    expect_sentences({
        "The hall (built in 1900. It was rebuilt later.) is open.| Come in.",
        "We sell tea (green, black, etc.) and cake.| Try both.",
        "It works (does it not?) well enough.",
        "The cat [see Fig. 2] sleeps.| Let it.",
    });
}

TEST(brackets, close_with_their_sentence) {
    expect_sentences({
        "It was late (very late).| We left.",
        "It was late.| (We left.)| Nobody cared.",
        "He came (I think so!).| She did not.",
    });
}

TEST(apostrophes, are_no_quotes) {
    expect_sentences({
        "It's Tom's idea.| I don't mind.",
        "Rock 'n' roll is old.| We're fans.",
        "The boys' room is clean.| It’s nice.",
    });
}

TEST(inches, are_no_quotes) {
    expect_sentences({
        "The screen is 27\" wide.| It is heavy.",
        "He is 6'2\" tall.| She is not.",
    });
}

TEST(unbalanced_quotes, silence_nothing_for_long) {
    expect_sentences({
        "He said \"wait for me here. Then he left for a while and came back with bread.| We "
        "stayed.",
        "She said “no, not again. Then she left for a while and came back with bread.| We stayed.",
    });
}

}  // namespace
}  // namespace tandem::text

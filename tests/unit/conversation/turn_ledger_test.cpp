#include "conversation/history/turn_ledger.hpp"

#include "chunks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>

namespace tandem::conversations {
namespace {

constexpr std::uint64_t first = 7;
constexpr std::uint64_t second = 9;
constexpr auto heard_only = history_policy::heard;

/// A turn with two chunks that were handed over, and some text that was not.
turn_ledger two_chunks() {
    turn_ledger turn;
    turn.begin_reply(first);
    turn.on_handed_over(chunk_of({first, 0}, "One two three."));
    turn.on_handed_over(chunk_of({first, 1}, " Four five six."));
    turn.record_unspoken_text(" Seven");
    return turn;
}

void expect_sizes(const turn_ledger& turn, std::size_t generated, std::size_t handed_over,
                  std::size_t heard) {
    EXPECT_EQ(turn.generated_bytes(), generated);
    EXPECT_EQ(turn.handed_over_bytes(), handed_over);
    EXPECT_EQ(turn.heard_bytes(), heard);
}

TEST(turn_ledger, is_empty_at_first) {
    const turn_ledger turn;
    expect_sizes(turn, 0, 0, 0);
    EXPECT_EQ(turn.make_history_text(history_policy::full, "…"), "");
}

TEST(turn_ledger, counts_what_was_generated_handed_over_and_heard) {
    auto turn = two_chunks();
    EXPECT_EQ(turn.text(), "One two three. Four five six. Seven");
    expect_sizes(turn, 35, 29, 0);
    EXPECT_TRUE(turn.record_heard({first, 1}, std::size_t{5}));
    expect_sizes(turn, 35, 29, 19);
}

// Handed-over chunks

TEST(turn_ledger, takes_a_chunk_once) {
    auto turn = two_chunks();
    turn.on_handed_over(chunk_of({first, 1}, " Four five six."));
    expect_sizes(turn, 35, 29, 0);
}

TEST(turn_ledger, takes_no_chunk_of_another_reply) {
    turn_ledger turn;
    turn.on_handed_over(chunk_of({first, 0}, "a"));
    turn.begin_reply(first);
    turn.on_handed_over(chunk_of({second, 0}, "b"));
    expect_sizes(turn, 0, 0, 0);
}

TEST(turn_ledger, takes_text_once_that_was_read_and_not_handed_over) {
    auto turn = two_chunks();
    turn.record_unspoken_text(" Seven");
    turn.record_unspoken_text("");
    EXPECT_EQ(turn.text(), "One two three. Four five six. Seven");
}

// Heard text

TEST(turn_ledger, takes_a_continued_chunk_and_those_before_it_as_heard) {
    auto turn = two_chunks();
    turn.on_continued({first, 1});
    EXPECT_EQ(turn.heard_bytes(), 29u);
    turn.on_continued({first, 0});
    EXPECT_EQ(turn.heard_bytes(), 29u);
}

TEST(turn_ledger, takes_the_furthest_report_whatever_the_order) {
    auto turn = two_chunks();
    EXPECT_TRUE(turn.record_heard({first, 1}, std::size_t{5}));
    EXPECT_TRUE(turn.record_heard({first, 1}, std::size_t{2}));
    EXPECT_TRUE(turn.record_heard({first, 0}, std::size_t{3}));
    EXPECT_TRUE(turn.record_heard({first, 1}, std::size_t{5}));
    EXPECT_EQ(turn.heard_bytes(), 19u);
}

TEST(turn_ledger, takes_a_report_beyond_a_chunk_as_all_of_it) {
    auto turn = two_chunks();
    EXPECT_TRUE(turn.record_heard({first, 0}, std::size_t{1000}));
    EXPECT_EQ(turn.heard_bytes(), 14u);
}

TEST(turn_ledger, takes_shares_of_a_chunk) {
    auto turn = two_chunks();
    EXPECT_TRUE(turn.record_heard_share({first, 0}, 0.5));
    EXPECT_EQ(turn.heard_bytes(), 7u);
    EXPECT_TRUE(turn.record_heard_share({first, 0}, std::nan("")));
    EXPECT_TRUE(turn.record_heard_share({first, 0}, -3));
    EXPECT_EQ(turn.heard_bytes(), 7u);
    EXPECT_TRUE(turn.record_heard_share({first, 0}, 1.5));
    EXPECT_EQ(turn.heard_bytes(), 14u);
}

TEST(turn_ledger, does_not_know_other_chunks) {
    auto turn = two_chunks();
    EXPECT_FALSE(turn.record_heard({first, 2}, std::size_t{1}));
    EXPECT_FALSE(turn.record_heard({second, 0}, std::size_t{1}));
    EXPECT_FALSE(turn.record_heard_share({second, 0}, 1));
    turn.on_continued({second, 0});
    EXPECT_EQ(turn.heard_bytes(), 0u);
}

TEST(turn_ledger, counts_in_speech_and_keeps_the_exact_text) {
    turn_ledger turn;
    turn.begin_reply(first);
    turn.on_handed_over(spoken_chunk_of({first, 0}, "So **very** good"));
    turn.on_handed_over(chunk_of({first, 1}, ". Ok."));
    EXPECT_TRUE(turn.record_heard({first, 0}, std::size_t{7}));
    EXPECT_EQ(turn.make_history_text(heard_only, ""), "So **very**");
}

TEST(turn_ledger, takes_a_silent_chunk_as_heard_once_it_is_continued_or_passed) {
    turn_ledger turn;
    turn.begin_reply(first);
    turn.on_handed_over(spoken_chunk_of({first, 0}, "```\nls\n```\n"));
    EXPECT_TRUE(turn.record_heard_share({first, 0}, 0.5));
    EXPECT_EQ(turn.heard_bytes(), 0u);
    EXPECT_TRUE(turn.record_heard_share({first, 0}, 1));
    EXPECT_EQ(turn.heard_bytes(), 11u);
}

// The text for the history

TEST(turn_ledger, keeps_what_the_policy_says) {
    auto turn = two_chunks();
    turn.record_heard({first, 1}, std::size_t{7});
    EXPECT_EQ(turn.make_history_text(history_policy::heard, ""), "One two three. Four");
    EXPECT_EQ(turn.make_history_text(history_policy::handed_over, ""),
              "One two three. Four five six.");
    EXPECT_EQ(turn.make_history_text(history_policy::full, ""),
              "One two three. Four five six. Seven");
    EXPECT_EQ(turn.make_history_text(history_policy::none, ""), "");
}

TEST(turn_ledger, puts_the_mark_if_something_was_left_out_of_what_is_kept) {
    auto turn = two_chunks();
    EXPECT_EQ(turn.make_history_text(history_policy::none, "…"), "");
    EXPECT_EQ(turn.make_history_text(history_policy::heard, "…"), "");
    EXPECT_EQ(turn.make_history_text(history_policy::full, "…"),
              "One two three. Four five six. Seven");
    turn.record_heard({first, 1}, std::size_t{8});
    EXPECT_EQ(turn.make_history_text(history_policy::heard, "…"), "One two three. Four…");
    EXPECT_EQ(turn.make_history_text(history_policy::handed_over, "…"),
              "One two three. Four five six.…");
}

TEST(turn_ledger, puts_no_white_space_before_the_mark) {
    turn_ledger turn;
    turn.begin_reply(first);
    turn.on_handed_over(chunk_of({first, 0}, "One. \n"));
    turn.record_unspoken_text("Two.");
    EXPECT_EQ(turn.make_history_text(history_policy::handed_over, "…"), "One.…");
}

TEST(turn_ledger, keeps_all_that_was_heard_without_a_mark) {
    turn_ledger turn;
    turn.begin_reply(first);
    turn.on_handed_over(chunk_of({first, 0}, "One two. "));
    turn.on_continued({first, 0});
    EXPECT_EQ(turn.make_history_text(heard_only, "…"), "One two. ");
}

TEST(turn_ledger, does_not_count_white_space_as_left_out) {
    turn_ledger turn;
    turn.begin_reply(first);
    turn.on_handed_over(chunk_of({first, 0}, "One two."));
    turn.record_unspoken_text("\n");
    turn.on_continued({first, 0});
    EXPECT_EQ(turn.make_history_text(heard_only, "…"), "One two.");
}

TEST(turn_ledger, does_not_keep_a_word_that_continues_in_the_next_chunk) {
    turn_ledger turn;
    turn.begin_reply(first);
    auto cut = chunk_of({first, 0}, "One extra");
    cut.boundary = boundary::limit;
    turn.on_handed_over(cut);
    turn.on_handed_over(chunk_of({first, 1}, "ordinary word"));
    turn.on_continued({first, 0});
    EXPECT_EQ(turn.make_history_text(heard_only, "…"), "One…");
}

// Resumes

TEST(turn_ledger, hands_out_what_was_not_heard_to_be_spoken_again) {
    auto turn = two_chunks();
    turn.record_heard({first, 1}, std::size_t{7});
    EXPECT_EQ(turn.resume(), " five six. Seven");
    expect_sizes(turn, 35, 19, 19);
    EXPECT_EQ(turn.make_history_text(heard_only, ""), "One two three. Four");
}

TEST(turn_ledger, keeps_the_marks_after_a_word_with_it) {
    for (const std::string_view text :
         {"Sure! Here you go.", "Sure?!\u201d Here you go.", "Sure, here.", "Sure."}) {
        turn_ledger turn;
        turn.begin_reply(first);
        turn.on_handed_over(chunk_of({first, 0}, std::string(text)));
        turn.record_heard({first, 0}, std::size_t{4});
        const auto word = std::string(text.substr(0, text.find(' ')));
        EXPECT_EQ(turn.make_history_text(heard_only, ""), word);
        EXPECT_EQ(turn.resume(), text.substr(word.size()));
    }
}

TEST(turn_ledger, keeps_the_marks_of_its_chunk_only) {
    turn_ledger turn;
    turn.begin_reply(first);
    turn.on_handed_over(chunk_of({first, 0}, "Nice"));
    turn.record_unspoken_text("! Here you go.");
    turn.record_heard({first, 0}, std::size_t{4});
    EXPECT_EQ(turn.resume(), "! Here you go.");
}

TEST(turn_ledger, takes_no_mark_for_heard_if_the_word_continues_after_it) {
    turn_ledger turn;
    turn.begin_reply(first);
    turn.on_handed_over(chunk_of({first, 0}, "It is 3.5 or so."));
    turn.record_heard({first, 0}, std::size_t{7});
    EXPECT_EQ(turn.resume(), " 3.5 or so.");
}

TEST(turn_ledger, takes_no_mark_for_heard_before_the_first_word) {
    turn_ledger turn;
    turn.begin_reply(first);
    turn.on_handed_over(chunk_of({first, 0}, "! Here you go."));
    turn.record_heard({first, 0}, std::size_t{0});
    EXPECT_EQ(turn.resume(), "! Here you go.");
}

TEST(turn_ledger, leaves_an_opening_mark_with_the_word_after_it) {
    turn_ledger turn;
    turn.begin_reply(first);
    turn.on_handed_over(chunk_of({first, 0}, "\u8bf4\uff1a\u201c\u4f60\u597d\u201d"));
    turn.record_heard({first, 0}, std::size_t{1});
    EXPECT_EQ(turn.resume(), "\u201c\u4f60\u597d\u201d");
}

// No white space separates the chunks, because models sometimes omit it before a quotation.
turn_ledger two_joined_chunks() {
    turn_ledger turn;
    turn.begin_reply(first);
    turn.on_handed_over(chunk_of({first, 0}, "It is here."));
    turn.on_handed_over(chunk_of({first, 1}, "\u201cShall I go?\u201d"));
    turn.on_continued({first, 0});
    return turn;
}

TEST(turn_ledger, does_not_hand_out_again_what_was_spoken_to_the_end_of_its_chunk) {
    auto turn = two_joined_chunks();
    EXPECT_EQ(turn.make_history_text(heard_only, ""), "It is here.");
    EXPECT_EQ(turn.resume(), "\u201cShall I go?\u201d");
    EXPECT_EQ(turn.resume(), "\u201cShall I go?\u201d");
}

TEST(turn_ledger, goes_back_to_the_end_of_a_chunk_if_the_next_one_was_begun) {
    auto turn = two_joined_chunks();
    turn.record_heard({first, 1}, std::size_t{3});
    EXPECT_EQ(turn.resume(), "\u201cShall I go?\u201d");
}

TEST(turn_ledger, continues_with_the_chunks_of_the_next_reply) {
    auto turn = two_chunks();
    turn.record_heard({first, 1}, std::size_t{7});
    turn.resume();
    turn.begin_reply(second);
    turn.on_handed_over(chunk_of({second, 0}, " five six."));
    EXPECT_EQ(turn.text(), "One two three. Four five six. Seven");
    turn.on_handed_over(chunk_of({second, 1}, " Seven eight."));
    EXPECT_EQ(turn.text(), "One two three. Four five six. Seven eight.");
    EXPECT_TRUE(turn.record_heard({second, 1}, std::size_t{6}));
    EXPECT_EQ(turn.make_history_text(heard_only, "…"), "One two three. Four five six. Seven…");
}

TEST(turn_ledger, takes_other_text_of_the_next_reply_in_place_of_what_was_not_heard) {
    auto turn = two_chunks();
    turn.on_continued({first, 0});
    turn.resume();
    turn.begin_reply(second);
    turn.on_handed_over(chunk_of({second, 0}, " Twelve."));
    EXPECT_EQ(turn.text(), "One two three. Twelve.");
}

TEST(turn_ledger, keeps_the_rest_of_a_turn_that_is_cut_again_before_it_was_handed_over) {
    auto turn = two_chunks();
    turn.on_continued({first, 0});
    turn.resume();
    turn.begin_reply(second);
    turn.on_handed_over(chunk_of({second, 0}, " Four"));
    turn.record_unspoken_text("");
    EXPECT_EQ(turn.resume(), " Four five six. Seven");
}

TEST(turn_ledger, continues_after_the_chunk_that_the_voice_still_speaks) {
    auto turn = two_chunks();
    EXPECT_EQ(turn.resume(chunk_id{first, 0}), " Four five six. Seven");
    expect_sizes(turn, 35, 14, 0);
    turn.begin_reply(second);
    turn.on_handed_over(chunk_of({second, 0}, " Four five six."));
    EXPECT_TRUE(turn.record_heard({first, 0}, std::size_t{7}));
    EXPECT_EQ(turn.make_history_text(heard_only, ""), "One two");
    EXPECT_FALSE(turn.record_heard({first, 1}, std::size_t{4})) << "it is spoken as another chunk";
    turn.record_heard({second, 0}, std::size_t{5});
    EXPECT_EQ(turn.make_history_text(heard_only, ""), "One two three. Four");
}

TEST(turn_ledger, goes_back_to_no_chunk_before_the_last_words_that_were_heard) {
    auto turn = two_chunks();
    turn.record_heard({first, 1}, std::size_t{7});
    EXPECT_EQ(turn.resume(chunk_id{first, 0}), " five six. Seven");
}

TEST(turn_ledger, takes_an_unknown_chunk_for_silence) {
    auto turn = two_chunks();
    turn.on_continued({first, 0});
    EXPECT_EQ(turn.resume(chunk_id{second, 0}), " Four five six. Seven");
}

TEST(turn_ledger, forgets_the_chunks_of_a_reply_that_a_resume_cut) {
    auto turn = two_chunks();
    turn.on_continued({first, 0});
    turn.resume();
    EXPECT_FALSE(turn.record_heard({first, 0}, std::size_t{3}));
    EXPECT_FALSE(turn.record_heard({first, 1}, std::size_t{9}));
    turn.on_handed_over(chunk_of({first, 2}, " Seven"));
    expect_sizes(turn, 35, 14, 14);
}

TEST(turn_ledger, has_nothing_to_hear_on_if_all_was_heard) {
    turn_ledger turn;
    turn.begin_reply(first);
    turn.on_handed_over(chunk_of({first, 0}, "One. "));
    turn.on_continued({first, 0});
    EXPECT_EQ(turn.resume(), "");
    expect_sizes(turn, 5, 5, 5);
}

}  // namespace
}  // namespace tandem::conversations

#include "sentence_table.hpp"

#include <gtest/gtest.h>

namespace tandem::text {
namespace {

TEST(ellipses, end_a_sentence_before_a_capital) {
    expect_sentences({
        "I am not sure...| Maybe we should go.",
        "I am not sure…| Maybe we should go.",
        "It was dark....| We saw nothing.",
        "And then...| Nothing happened.",
    });
}

TEST(ellipses, continue_before_lower_case) {
    expect_sentences({
        "I think... maybe not.| Let me check.",
        "I think… maybe not.",
        "Wait...what is that?",
        "So... we are late.",
        "He came . . . and left.",
    });
}

TEST(hesitation, continues_before_i) {
    expect_sentences({
        {"Well... I am not sure.| Ask her.", whole_text | token_like_pieces},
        {"Um... I do not know.", whole_text | token_like_pieces},
        {"Hmm... I would wait.", whole_text | token_like_pieces},
    });
}

TEST(runs_of_marks, are_one_end) {
    expect_sentences({
        "You did what?!| I am shocked.",
        "You did what!?| I am shocked.",
        "Stop it!!!| Now sit down.",
        "Is it over??| I hope so.",
        "No way?!?!| It is true.",
        "What?!| No!",
        "Really‽| It is true.",
    });
}

TEST(shouts, continue_before_lower_case) {
    expect_sentences({
        "Oh! what a day it was.",
        "He cried Halt! and ran.",
    });
}

TEST(names_with_an_exclamation_mark, end_no_sentence_inside_one) {
    expect_sentences({
        "I use Yahoo! for mail.| It is old.",
        "We watched Jeopardy! last night.| It was fun.",
        "The band Wham! had hits.",
        {"We saw Oklahoma!| It was great.", whole_text | token_like_pieces},
    });
}

TEST(emoji, stay_with_the_sentence_before_them) {
    expect_sentences({
        "See you in Rome! 🎉| Bye for now.",
        "See you on Friday. 😀| How are you?",
        {"Good morning, Ann! 😀😀| How are you?", whole_text},
        {"I love it. ❤️| Thank you.", whole_text},
        {"See you. 👨‍👩‍👧| Bye.", whole_text},
        "See you in Rome!😊| Bye for now.",
    });
}

TEST(emoji_behind_words, end_a_sentence_that_has_no_mark) {
    expect_sentences({
        {"That is so nice 😊| Thank you for asking.", whole_text | token_like_pieces},
    });
}

TEST(emoji_behind_words, wait_for_the_mark_after_them) {
    expect_sentences({
        "Nice to see you 😊.| Have a great day.",
        "That was a great job 🎉!| Here you go.",
        "Is that the way 🤔?| I think so.",
        "What a day 🎉...| We made it.",
        "你好吗😊。|我很好。",
    });
}

TEST(emoji_behind_words, end_no_sentence_before_lower_case) {
    expect_sentences({
        "I really love 😍 the sea.| It is warm.",
        "We were so happy 😊 and so were they.",
    });
}

TEST(emoji_behind_words, end_a_remark_of_one_word_too) {
    expect_sentences({
        "OK 🙂| Bye",
        "✅ Done 🎉| Next item",
        "Thanks 🙏| See you.",
        "I ❤️ Rome.| It is old.",
    });
}

TEST(line_breaks, end_sentences) {
    expect_sentences({
        "Shopping list|\nEggs|\nMilk",
        "Dear Ann,|\n\nThank you for the book.|\n\nYours,|\nBo",
        "First line.|\nSecond line.",
        "Roses are red|\nViolets are blue",
        "One.|\n\n\nTwo.",
        "One.|\r\nTwo.",
    });
}

TEST(dashes, may_start_what_a_speaker_says) {
    expect_sentences({
        "It was fine - really fine.| We stayed.",
        "He came – at last.| She left.",
        "Stop—now!| Go.",
    });
}

TEST(lower_case_writing, has_sentences_too) {
    expect_sentences({
        "i am going out later.| maybe you can come too.",
        "the weather is lovely today.| we should go outside.",
        "are you there?| i need help.",
    });
}

TEST(brand_names, start_sentences_with_their_second_letter) {
    expect_sentences({
        {"I bought a phone.| iPhones are costly.", whole_text | token_like_pieces},
        {"She sells it online.| eBay takes a fee.", whole_text | token_like_pieces},
    });
}

TEST(missing_spaces, still_leave_an_end_between_words) {
    expect_sentences({
        "We saw the whole world.|Today we rest.",
        "Is it you?|Yes.",
        "This is the end.|He left.",
        "Is it you?|We are here.|Thanks a lot.",
    });
}

TEST(spanish_marks, start_sentences) {
    expect_sentences("es", {
                               "Hola.| ¿Cómo estás?| ¡Qué bien!",
                               "No lo sé.| ¿Y tú?",
                           });
}

TEST(colons_and_semicolons, end_no_sentence) {
    expect_sentences({
        "Note this: it is hot.| Be careful; it burns.",
        "Three things matter: Time, money, and luck.",
    });
}

TEST(signs_of_less, are_no_tags) {
    expect_sentences({
        "The mean is 2 <b and c there.| Then we stop.| It is late.",
        "Is it so if x <y or z?| Yes, it is.",
    });
}

TEST(ssml_tags, hold_no_end_of_a_sentence) {
    expect_sentences({
        "<speak>Hello there.| How are you?</speak>",
        "Wait <break time=\"0.5s\"/> for me.| Thanks.",
        "<p>It is late.</p>",
        "<p class=\"a. B\" id=\"c. D\">It is late.</p>",
        "Say <emphasis level=\"strong\">no.</emphasis>| Then go.",
    });
}

}  // namespace
}  // namespace tandem::text

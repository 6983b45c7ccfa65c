#include "sentence_table.hpp"

#include <gtest/gtest.h>

namespace tandem::text {
namespace {

TEST(plain_sentences, end_with_their_mark) {
    expect_sentences({
        "The kettle is on.| Tea will be ready soon.",
        "Is the shop open?| It closes at noon.",
        "What a view!| I could stay for hours.",
        "The bus left.| We walked home.| It rained all the way.",
        "One moment please",
        "Sure.",
        "We agree.| Do you?| Splendid!",
        "I sold the car.| Then I bought a bike.",
    });
}

TEST(titles, end_no_sentence) {
    expect_sentences({
        "Dr. Okoye is in a meeting.| She will call you back.",
        "Dr.\n\nOkoye is in a meeting.",
        "Please ask Mr. Lind about it.| He knows the way.",
        "Mrs. Tanaka and Ms. Bauer arrived early.| They are waiting.",
        "I spoke to Prof. Adeyemi today.| The talk went well.",
        "Gen. Novak met Col. Reyes at noon.",
        "Sen. Park and Rep. Ortiz disagree.| Gov. Lane does not care.",
        "We thank Rev. Moss for coming.",
        "Capt. Silva greeted Lt. Marsh.| The ship sails at dawn.",
        "The church of St. Agnes is old.| It needs a new roof.",
        "We hiked up Mt. Kenya.| The view was grand.",
        "Send it to Messrs. Hall and Webb.",
        "Sgt. Flint is on duty.| Call her.",
    });
}

TEST(titles, end_no_sentence_after_a_bracket_or_quote) {
    expect_sentences({
        "Our doctor (Dr. Amin) is away.| She is back on Friday.",
        "They call him \"Mr. Fix\" here.| He repairs everything.",
    });
}

TEST(initials, end_no_sentence) {
    expect_sentences({
        "The novel by J. Harlow is long.| It sold well.",
        "The music is by A. B. Carver, not me.| We loved it.",
        "The poet W. H. Dunmore lived here.",
        {"I met J.P. Stone once.| He was kind.", whole_text | token_like_pieces | characters},
        "Ask K. Lowe and M. Byrne about it.",
    });
}

TEST(pronoun_i, ends_a_sentence_if_it_is_no_initial) {
    expect_sentences({
        "She is older than I.| We both know it.",
        "It was you and I.| Nobody else came.",
    });
}

TEST(letters_as_names, end_a_sentence_after_what_they_label) {
    expect_sentences({
        "Oranges have vitamin C.| They taste good too.",
        "Let us go with plan B.| It is cheaper.",
        "He sits in row D.| You sit in row F.",
        "The answer is option C.| Well done.",
    });
}

TEST(inner_abbreviations, end_no_sentence) {
    expect_sentences({
        "Bring fruit, e.g. apples or pears.| We have bread.",
        "Use the main door, i.e. the red one.| It is open.",
        "It was Leeds vs. York.| Leeds won.",
        "The hall holds approx. 200 people.| It is full.",
        "It was built ca. 1850.| It still stands.",
        "Fees incl. VAT are listed.| Read them.",
        "See cf. Smith for more.",
    });
}

TEST(company_endings, end_a_sentence_only_before_a_sentence) {
    expect_sentences({
        "She works for Brightwell Inc. in Leeds.| She likes it.",
        "Acme Corp. is hiring.| Apply today.",
        "Ask Miller Bros. about the roof.",
        "We hired Stone Ltd. last year.| They did well.",
        "Sammy Davis Jr. sang there.",
        "Dale Hart, M.D. will see you now.",
    });
    expect_sentences({
        {"He works for Acme Inc.| The pay is good.", whole_text | token_like_pieces},
        {"She bought shares of Zeta Corp.| They fell at once.", whole_text | token_like_pieces},
    });
}

TEST(tail_abbreviations, end_a_sentence_before_a_capital) {
    expect_sentences({
        "Bring pens, paper, etc. to class.",
        "Bring pens, paper, etc.| The room opens at eight.",
        "Rome was founded in 753 B.C.| Legend says so.",
        "It fell in 476 A.D. after a long war.",
        "We sell hats, scarves, etc., all year.",
    });
}

TEST(units, end_a_sentence_after_a_number_before_a_capital) {
    expect_sentences({
        "Add 2 tbsp. of oil.| Stir well.",
        "It weighs 5 lbs. or so.",
        "The board is 10 in. wide.| Cut it.",
        "Wait 5 min.| Then stir.",
        "It is 40 ft. long.",
        "He ran 5 km.| She ran ten.",
        "Please come in.| The door is open.",
        "This one is 5 in. long.| That one is 3 in. wide.",
    });
}

TEST(states, are_abbreviations_in_both_roles) {
    expect_sentences({
        "The U.S. economy grew.| Prices rose too.",
        "She moved to the U.S. in May.| She is happy there.",
        "The U.N. met on Monday.",
        "He lives in Washington D.C. with his dog.",
        {"We flew to the U.S.| It was a long trip.", whole_text | token_like_pieces},
        {"She was born in the U.K.| They moved later.", whole_text | token_like_pieces},
        {"I live in the U.S.| How about you?", whole_text | token_like_pieces},
    });
}

TEST(numbered_words, belong_to_the_number_that_follows) {
    expect_sentences({
        "He lives at No. 9 Elm Street.| It is the blue house.",
        "See Fig. 3 for details.| It shows the flow.",
        "Read pp. 12 to 20.| Then rest.",
        "It is in Vol. 2 of the set.",
        "See Sec. 4 and Ch. 7.| Both help.",
        "No. 5 is alive.| Number 6 is not.",
        "Look at Figs. 2 and 3.",
        "It is on p. 44 of the book.",
    });
}

TEST(numbered_words, end_a_sentence_without_a_number) {
    expect_sentences({
        "I asked, and the answer was no.| Then he left.",
        "She said no.| We went home.",
        "Would you stay?| No.| Would she?| No.",
    });
}

TEST(months_and_days, end_no_sentence_before_a_number) {
    expect_sentences({
        "We met on Sept. 9 in Rome.| It was hot.",
        "The play opens Dec. 12, they say.",
        "Call me on Tues. or Thurs. after lunch.",
        "They may come on Jan. 3.| Be there.",
    });
}

TEST(plain_words, end_sentences_though_they_are_abbreviations_elsewhere) {
    expect_sentences({
        "He sat in the sun.| It was warm.",
        "Tell me what you saw.| I will listen.",
        "Pick up the gun.| No, leave it.",
        "I know you may.| She may not.",
        "This is fun.| Try it.",
        "He is a rep.| She is a cop.",
    });
}

TEST(names_of_languages, end_sentences) {
    expect_sentences({
        "I use C++.| It is fast.",
        "I use C#.| It is fast.",
        "I like .NET a lot.| It is fast.",
    });
}

TEST(degrees, end_no_sentence) {
    expect_sentences({
        "She got a Ph.D. in May.| We danced.",
        "He has a B.A. in law.| It helps.",
    });
}

TEST(possessives, continue_after_an_abbreviation) {
    expect_sentences({
        "That is Sam Reed Jr.'s coat.| It is warm.",
        "The U.S.'s plan is new.",
        "Acme Inc.'s shares fell.",
    });
}

TEST(titles_behind_an_article, end_a_sentence_before_a_pronoun) {
    expect_sentences({
        {"Ask the Sgt.| He knows.", whole_text | token_like_pieces},
        {"I saw my Dr.| She was nice.", whole_text | token_like_pieces},
        "Ask the Rev. Will Smith.| He knows.",
        "Dr. He is in.",
    });
}

TEST(suffixes_of_names, end_a_sentence_before_a_title) {
    expect_sentences({
        {"She is Sr.| Sen. Warren spoke.", whole_text | token_like_pieces},
        {"I met Sam Lee Jr.| Dr. Smith was there.", whole_text | token_like_pieces},
        "I met Sam Lee Jr. Smith.",
    });
}

TEST(words_that_are_abbreviations_too, end_sentences) {
    expect_sentences("de", {
                               "Das ist hier so.| Dr. Müller kommt.",
                               "Das ist hier so.| Prof. Weiß auch.",
                               "Wir treffen uns am So. 12. Mai.",
                               {"Er heißt Max.| Sie heißt Anna.", whole_text | token_like_pieces},
                               "Es sind max. 10 Grad.",
                           });
}

TEST(foreign_words, begin_within_scripts_without_spaces) {
    expect_sentences("zh", {"他是Dr. Smith。|她是护士。", "我用iPhone。|很好。"});
    expect_sentences("ja", {"今日はDr. Smithが来ます。|明日も。"});
    expect_sentences("hi", {"इसकी कीमत रु. 499 है।| ठीक है।"});
}

}  // namespace
}  // namespace tandem::text

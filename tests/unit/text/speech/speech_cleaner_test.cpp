#include "text/speech/speech_cleaner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace tandem::text {
namespace {

using ::testing::ElementsAre;

std::string cleaned(std::string_view text, speech_options options = {}) {
    return speech_cleaner(options).clean(text).speech;
}

std::vector<std::string> cleaned_chunks(const std::vector<std::string_view>& chunks,
                                        speech_options options = {}) {
    speech_cleaner cleaner(options);
    std::vector<std::string> out;
    for (const auto c : chunks) out.push_back(cleaner.clean(c).speech);
    return out;
}

struct row {
    const char* text;
    const char* speech;
};

class speech_of : public testing::TestWithParam<row> {};

TEST_P(speech_of, a_text_has_its_words_and_no_marks) {
    EXPECT_EQ(cleaned(GetParam().text), GetParam().speech);
}

INSTANTIATE_TEST_SUITE_P(
    plain_text, speech_of,
    testing::Values(
        row{"", ""}, row{" \n", ""}, row{"Hello, world!", "Hello, world!"},
        row{"3 * 4 = 12", "3 * 4 = 12"}, row{"3*4*5", "3*4*5"}, row{"2**3", "2**3"},
        row{"f(x)*g(x)", "f(x)*g(x)"}, row{"a snake_case name", "a snake_case name"},
        row{"foo_ and _", "foo_ and _"}, row{"C# and F#", "C# and F#"},
        row{"We are #1.", "We are #1."}, row{"#1 is C#", "#1 is C#"},
        row{"$5 and $10.", "$5 and $10."}, row{"$5-$10", "$5-$10"}, row{"US$5 or 5$", "US$5 or 5$"},
        row{"it's the dogs' toy", "it's the dogs' toy"}, row{"a < b > c", "a < b > c"},
        row{"x<y", "x<y"}, row{"I <3 you", "I <3 you"}, row{"a vector<int> v", "a vector<int> v"},
        row{"R&D & AT&T;", "R&D & AT&T;"}, row{"~5 and a~b", "~5 and a~b"},
        row{"[laughs] Hi", "[laughs] Hi"}, row{"in [2024] only", "in [2024] only"},
        row{"a | b", "a | b"}, row{"C:\\dir and 1\\2", "C:\\dir and 1\\2"},
        row{"-5 degrees", "-5 degrees"}, row{"+1 555", "+1 555"}, row{"Wow! Wow!!", "Wow! Wow!!"},
        row{"who what how", "who what how"}, row{"well-known - yes", "well-known - yes"},
        row{"\xC3\xA9t\xC3\xA9 \xE2\x82\xAC 5 \xE2\x80\x94 ok",
            "\xC3\xA9t\xC3\xA9 \xE2\x82\xAC 5 \xE2\x80\x94 ok"}));

INSTANTIATE_TEST_SUITE_P(
    emphasis, speech_of,
    testing::Values(row{"a **bold** word", "a bold word"}, row{"an *odd* word", "an odd word"},
                    row{"***both***", "both"}, row{"_one_ and __two__", "one and two"},
                    row{"**Note:** this", "Note: this"}, row{"(*sic*)", "(sic)"},
                    row{"**_x_** y", "x y"}, row{"**bold *it***!", "bold it!"},
                    row{"un*frigging*real", "unfriggingreal"}, row{"**b**old", "bold"},
                    row{"**5** of *6*", "5 of 6"}, row{"~~no~~ yes", "no yes"},
                    row{"\"*Hm*,\" he said", "\"Hm,\" he said"}, row{"`code` here", "code here"},
                    row{"``a`b`` c", "ab c"}, row{"`a_b * c` d", "a_b * c d"},
                    row{"**bold\n\nnext* line", "bold\n\nnext* line"},
                    row{"\xE8\xBF\x99\xE6\x98\xAF**\xE7\xB2\x97**\xE5\xAD\x97",
                        "\xE8\xBF\x99\xE6\x98\xAF\xE7\xB2\x97\xE5\xAD\x97"},
                    row{"not \\*this\\*, \\#1", "not *this*, #1"}, row{"== ok ==", "== ok =="}));

INSTANTIATE_TEST_SUITE_P(
    lines, speech_of,
    testing::Values(row{"# Title\n\nText", "Title\n\nText"},
                    row{"### Title ###\nText", "Title\nText"}, row{"- one\n- two\n", "one\ntwo\n"},
                    row{"* one\n+ two", "one\ntwo"}, row{"\xE2\x80\xA2 one", "one"},
                    row{"1. one\n2) two", "1. one\n2) two"},
                    row{"  - nested\n    * deeper", "nested\ndeeper"},
                    row{"- [ ] open\n- [x] done", "open\ndone"}, row{"- **Big:** yes", "Big: yes"},
                    row{"> said\n> > deeper", "said\ndeeper"}, row{"> - # all", "all"},
                    row{"a\n\n---\n\nb", "a\n\nb"}, row{"a\n* * *\nb", "a\nb"},
                    row{"Title\n=====\nText", "Title\nText"}, row{"#\nText", "\nText"},
                    row{"| A | B |\n|---|:-:|\n| 1 | 2 |\n", "A, B\n1, 2\n"},
                    row{"|A|B|\n|1|2|", "A, B\n1, 2"}, row{"| A? | B |", "A? B"},
                    row{"| A | | B |", "A, B"}, row{"- - a", "a"}));

INSTANTIATE_TEST_SUITE_P(
    code, speech_of,
    testing::Values(row{"Run:\n```sh\nls *\n```\nDone.", "Run:\nDone."},
                    row{"a\n~~~\nb\n```\n~~~\nc", "a\nc"}, row{"````\n```\n````\nx", "x"},
                    row{"```one line``` x", "one line x"},
                    row{"- a\n  ```\n  b\n  ```\n- c", "a\nc"}, row{"```\nnever closed", ""},
                    row{"1. Run: ```sh\nls\n```\nDone.", "1. Run:\nDone."},
                    row{"Run: ```\nls\n```\nDone.", "Run:\nDone."},
                    row{"```\nls\nfoo```\nDone.", "Done."}, row{"Use ```a b``` now", "Use a b now"},
                    row{"```c++\nint a;\n```", ""}));

INSTANTIATE_TEST_SUITE_P(
    links, speech_of,
    testing::Values(row{"See [the docs](https://x.com/a_(b)).", "See the docs."},
                    row{"![A cat](cat.png) here", "A cat here"}, row{"a ![](cat.png) b", "a b"},
                    row{"[![badge](b.png)](https://x.com) x", "badge x"},
                    row{"[**a**](b \"title\")", "a"}, row{"a [text][ref] b", "a text b"},
                    row{"Smith[1] says[^note] so", "Smith says so"},
                    row{"yes [1](http://x.com).", "yes."},
                    row{"<https://x.com/a> or <me@x.com>", "https://x.com/a or me@x.com"},
                    row{"at https://x.com/a_b*c_d.", "at https://x.com/a_b*c_d."},
                    row{"**https://x.com**", "https://x.com"}, row{"[a](b c", "a"},
                    row{"[a] (b)", "[a] (b)"}, row{"arr[i](x", "arri"},
                    row{"[a\nb](c)", "[a\nb](c)"}));

INSTANTIATE_TEST_SUITE_P(
    footnotes, speech_of,
    testing::Values(row{"As shown.[1] Then[2,3] more[4-6].", "As shown. Then more."},
                    row{"It grew[1][2] (so)[3] by 5%[4].", "It grew (so) by 5%."},
                    row{"It is **so**[1].", "It is so."}, row{"It grew [1][2].", "It grew."},
                    row{"It grew [^1] and [^a].", "It grew and."},
                    row{"Ja \xE2\x80\x9Eso\xE2\x80\x9C[1].", "Ja \xE2\x80\x9Eso\xE2\x80\x9C."},
                    row{"\xE5\xA5\xBD\xE3\x80\x82[1]", "\xE5\xA5\xBD\xE3\x80\x82"}));

INSTANTIATE_TEST_SUITE_P(numbers_in_brackets, speech_of,
                         testing::Values(row{"Your seat is [12].", "Your seat is [12]."},
                                         row{"Your seat is **[12]**.", "Your seat is [12]."},
                                         row{"sorted, [1, 2, 3].", "sorted, [1, 2, 3]."},
                                         row{"as shown in [3]", "as shown in [3]"},
                                         row{"a number in [0, 100].", "a number in [0, 100]."},
                                         row{"so x=[1,2] or sum([3])", "so x=[1,2] or sum([3])"},
                                         row{"in [[1,2],[3,4]]", "in [[1,2],[3,4]]"},
                                         row{"item[0] and a[1, 2]", "item[0] and a[1, 2]"},
                                         row{"[1] Tea\n[2] Milk", "[1] Tea\n[2] Milk"}));

INSTANTIATE_TEST_SUITE_P(
    names_in_brackets, speech_of,
    testing::Values(row{"Press <Enter> to go on.", "Press Enter to go on."},
                    row{"Replace <name> with yours.", "Replace name with yours."},
                    row{"Press <B>.", "Press B."}, row{"<Enter><Tab>", "Enter Tab"},
                    row{"<x>Hi</x> <y/> <z a=\"b\"> you", "Hi you"},
                    row{"<think>Hm</think> <think> Yes", "Hm Yes"}, row{"<reply>Hello.", "Hello."},
                    row{"<UL><LI>Milk", "Milk"},
                    row{"So <!important> it is", "So <!important> it is"}));

INSTANTIATE_TEST_SUITE_P(
    tags_and_entities, speech_of,
    testing::Values(row{"a <b>big</b> one", "a big one"}, row{"H<sub>2</sub>O", "H2O"},
                    row{"one<br>two<br/>three", "one two three"},
                    row{"Wait <break time=\"1s\"/> here", "Wait here"},
                    row{"<speak><p>Hi</p><p>you</p></speak>", "Hi you"},
                    row{"a <!-- note --> b", "a b"}, row{"if 2 <b and c", "if 2 <b and c"},
                    row{"is x <p? Yes.", "is x <p? Yes."},
                    row{"<span class=\"x\">Hi</span>!", "Hi!"}, row{"Yes.<|eot_id|>", "Yes."},
                    row{"salt &amp; pepper", "salt & pepper"}, row{"a&nbsp;b &lt;b&gt;", "a b <b>"},
                    row{"it&#39;s &#x2014; ok", "it's \xE2\x80\x94 ok"},
                    row{"&#0; &#xD800; &bogus;", "&#0; &#xD800; &bogus;"}));

INSTANTIATE_TEST_SUITE_P(formulas, speech_of,
                         testing::Values(row{"so $x_1 = 2$ holds", "so x_1 = 2 holds"},
                                         row{"$$a * b_c$$", "a * b_c"},
                                         row{"\\(x\\) and \\[y\\]", "x and y"},
                                         row{"$2x+3$ is", "2x+3 is"}, row{"pay \\$5", "pay $5"}));

INSTANTIATE_TEST_SUITE_P(
    emoji, speech_of,
    testing::Values(
        row{"Hello \xF0\x9F\x98\x80 world", "Hello world"},
        row{"Great! \xF0\x9F\x98\x80", "Great!"}, row{"Hi\xF0\x9F\x98\x80you", "Hi you"},
        row{"Yes!\xF0\x9F\x98\x80Go", "Yes! Go"},
        row{"Nice \xF0\x9F\x91\x8D\xF0\x9F\x8F\xBD!", "Nice!"},
        row{"\xF0\x9F\x98\x80 Hello", "Hello"}, row{"\xF0\x9F\x98\x80\xF0\x9F\x98\x80", ""},
        row{"I \xE2\x9D\xA4\xEF\xB8\x8F it", "I it"},
        row{"A \xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB codes", "A codes"},
        row{"In \xF0\x9F\x87\xA9\xF0\x9F\x87\xAA now", "In now"},
        row{"Press 1\xEF\xB8\x8F\xE2\x83\xA3 now", "Press 1 now"},
        row{"A\xC2\xAE and B\xE2\x84\xA2", "A\xC2\xAE and B\xE2\x84\xA2"},
        row{"C\xE2\x99\xAF minor", "C\xE2\x99\xAF minor"},
        row{"Hi \xF0\x9F\x98\x80\n\nYou", "Hi\n\nYou"}, row{"- \xE2\x9C\x85 done", "done"},
        row{"\xE0\xA4\x95\xE2\x80\x8D\xE0\xA4\xB7", "\xE0\xA4\x95\xE2\x80\x8D\xE0\xA4\xB7"}));

TEST(speech_cleaner, keeps_emoji_where_asked) {
    EXPECT_EQ(
        cleaned("Hi \xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB!", {.emoji = emoji_speech::kept}),
        "Hi \xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB!");
}

TEST(speech_cleaner, speaks_code_as_it_is_where_asked) {
    EXPECT_EQ(cleaned("Run:\n```sh\nls *.c # all\n```\nDone.", {.code = code_speech::spoken}),
              "Run:\nls *.c # all\nDone.");
    EXPECT_EQ(cleaned("```\nls\n  pwd```\nDone.", {.code = code_speech::spoken}),
              "ls\n  pwd\nDone.");
}

TEST(speech_cleaner, speaks_what_follows_the_end_of_code_on_its_line) {
    EXPECT_EQ(cleaned("Run:\n```sh\nls -l\n``` Now press the key.\nThen wait."),
              "Run:\nNow press the key.\nThen wait.");
    EXPECT_EQ(cleaned("~~~\nls\n  ~~~~\tNow."), "Now.");
    EXPECT_EQ(cleaned("```\nls\n```Now press it."), "Now press it.");
    EXPECT_EQ(cleaned("```\nls\n```Done!"), "Done!");
    EXPECT_EQ(cleaned("```\nls\n```\xE5\xA5\xBD"), "\xE5\xA5\xBD");
    EXPECT_EQ(cleaned("```\nls\n``` Now.", {.code = code_speech::spoken}), "ls\nNow.");
    EXPECT_THAT(cleaned_chunks({"Run:\n```\nls\n", "``` Now.", " Then."}),
                ElementsAre("Run:", " Now.", " Then."));
}

TEST(speech_cleaner, ends_no_code_at_the_language_of_other_code) {
    EXPECT_EQ(cleaned("a\n```\nls\n```python\nx = 1\n```\nb"), "a\nb");
    EXPECT_EQ(cleaned("a\n````\nls\n``` x\n````\nb"), "a\nb");
    EXPECT_EQ(cleaned("a\n~~~\nls\n``` x\n~~~\nb"), "a\nb");
}

TEST(speech_cleaner, speaks_a_line_between_tildes) {
    EXPECT_EQ(cleaned("~~~ Hello ~~~\nBye."), "Hello\nBye.");
    EXPECT_EQ(cleaned("See you~~~ Bye"), "See you Bye");
}

TEST(speech_cleaner, names_the_host_of_an_address_where_asked) {
    const speech_options host{.urls = url_speech::host};
    EXPECT_EQ(cleaned("at https://www.example.com:80/a?b#c.", host), "at example.com.");
    EXPECT_EQ(cleaned("(see www.x.org/y) or <http://me@z.de>", host), "(see x.org) or z.de");
}

TEST(speech_cleaner, knows_code_that_an_earlier_chunk_began) {
    EXPECT_THAT(cleaned_chunks({"Run:\n```", "sh\nls", " -l.\n", "```\nDone."}),
                ElementsAre("Run:", "", "", "\nDone."));
}

TEST(speech_cleaner, knows_emphasis_that_an_earlier_chunk_began) {
    EXPECT_THAT(cleaned_chunks({"**One.", " Two.", " Three** four"}),
                ElementsAre("One.", " Two.", " Three four"));
}

TEST(speech_cleaner, knows_a_link_that_an_earlier_chunk_began) {
    EXPECT_THAT(cleaned_chunks({"See [the", " docs](https://x.com", "/a) now"}),
                ElementsAre("See the", " docs", " now"));
    EXPECT_THAT(cleaned_chunks({"So [he", " said] yes"}), ElementsAre("So he", " said yes"));
}

TEST(speech_cleaner, knows_a_tag_that_an_earlier_chunk_began) {
    EXPECT_THAT(cleaned_chunks({"a <break", " time=\"1s\"/> b"}), ElementsAre("a", " b"));
}

TEST(speech_cleaner, knows_the_quotes_of_a_tag_that_an_earlier_chunk_began) {
    EXPECT_THAT(cleaned_chunks({"a <audio src=\"x\" alt='One. ", "Two > one.", " Three' /> b"}),
                ElementsAre("a", "", " b"));
    EXPECT_THAT(cleaned_chunks({"a <br", "eak time=1s/> b"}), ElementsAre("a", " b"));
    EXPECT_THAT(cleaned_chunks({"<i>a</i", "> b"}), ElementsAre("a", " b"));
    EXPECT_THAT(cleaned_chunks({"a <!-", "- One. Two --> b"}), ElementsAre("a", " b"));
    EXPECT_THAT(cleaned_chunks({"<!DOCTYPE", " html> b"}), ElementsAre("", "b"));
}

TEST(speech_cleaner, speaks_what_cannot_belong_to_a_tag) {
    EXPECT_THAT(cleaned_chunks({"We need a <b ", " and c is larger than d.", " Then on"}),
                ElementsAre("We need a <b ", " and c is larger than d.", " Then on"));
    EXPECT_THAT(cleaned_chunks({"We need a <b", " and c is larger than d.", " Then on"}),
                ElementsAre("We need a", " and c is larger than d.", " Then on"));
    EXPECT_THAT(cleaned_chunks({"a <b", " c=5.", " So"}), ElementsAre("a", " c=5.", " So"));
    EXPECT_THAT(cleaned_chunks({"a <b", " x\ny"}), ElementsAre("a", " x\ny"));
    EXPECT_THAT(cleaned_chunks({"He said <!important", " is it"}),
                ElementsAre("He said <!important", " is it"));
    EXPECT_THAT(cleaned_chunks({"He said <?what", " is it"}),
                ElementsAre("He said <?what", " is it"));
    EXPECT_THAT(cleaned_chunks({"So a <b c=5 and d", " is it"}),
                ElementsAre("So a <b c=5 and d", " is it"));
}

TEST(speech_cleaner, knows_a_line_that_an_earlier_chunk_began) {
    EXPECT_THAT(cleaned_chunks({"a\n", "- b\n-", " c\n# ", "D #"}),
                ElementsAre("a\n", "b", " c", " D"));
    EXPECT_THAT(cleaned_chunks({"So 5 ", "- 3"}), ElementsAre("So 5 ", "- 3"));
}

TEST(speech_cleaner, leaves_the_rest_of_an_address_out_whose_host_was_named) {
    EXPECT_THAT(cleaned_chunks({"at https://x.com/a", "/b?c now"}, {.urls = url_speech::host}),
                ElementsAre("at x.com", " now"));
}

TEST(speech_cleaner, gives_up_a_target_that_never_ends) {
    speech_cleaner cleaner;
    cleaner.clean("[a](b");
    EXPECT_EQ(cleaner.clean(std::string(3000, 'x')).speech.size(), 3000u - 2048u);
    EXPECT_EQ(cleaner.clean(" so").speech, " so");
    cleaner.clean("[a](b");
    EXPECT_EQ(cleaner.clean("c\nd").speech, "\nd");
}

TEST(speech_cleaner, parts_words_of_two_chunks_between_which_a_chunk_was_left_out) {
    EXPECT_THAT(cleaned_chunks({"One", " \xF0\x9F\x98\x80 ", "two"}),
                ElementsAre("One", "", " two"));
}

}  // namespace
}  // namespace tandem::text

#include "conversation/history/heard_position.hpp"

#include "text/characters/utf8.hpp"
#include "text/speech/speech_text_maker.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>

namespace tandem::conversations {
namespace {

chunk spoken(std::string_view text, text::speech_options options = {}) {
    chunk c{.text = std::string(text)};
    text::speech_text_maker(std::move(options)).fill_speech(c);
    return c;
}

std::size_t text_offset(const chunk& c, std::size_t characters) {
    return map_speech_to_text_offset(c.text, c.speech, c.speech_runs, characters);
}

/// The text that the listener has heard once the voice has spoken `said`, the start of the speech.
std::string heard(std::string_view text, std::string_view said, text::speech_options options = {}) {
    const auto c = spoken(text, std::move(options));
    EXPECT_EQ(c.speech.substr(0, said.size()), said);
    return c.text.substr(0, text_offset(c, text::count_characters(said)));
}

// Shares of speech

TEST(words_that_a_voice_reports, end_with_a_word_of_the_speech) {
    EXPECT_EQ(count_characters_of_words("We can seat you.", 0), 0u);
    EXPECT_EQ(count_characters_of_words("We can seat you.", 3), 11u);
    EXPECT_EQ(count_characters_of_words(" We  can", 2), 8u);
    EXPECT_EQ(count_characters_of_words("Grüß Gott", 1), 4u);
    EXPECT_EQ(count_characters_of_words("We can ", 99), 6u);
}

TEST(words_that_a_voice_reports, are_found_as_they_are_or_by_their_number) {
    EXPECT_EQ(count_characters_said("We can seat you.", "We can se"), 9u);
    EXPECT_EQ(count_characters_said(" We can seat you.", "We can"), 7u);
    EXPECT_EQ(count_characters_said("At 8, we can seat you.", "at eight we"), 8u);
    EXPECT_EQ(count_characters_said("我们有位子", "我们"), 2u);
    EXPECT_EQ(count_characters_said("We can", " "), 0u);
    EXPECT_EQ(count_characters_said("We can", "We can seat you all"), 6u);
}

TEST(speech_characters, are_counted_as_characters_and_not_as_bytes) {
    EXPECT_EQ(count_heard_characters("caf\xC3\xA9 ole", 0.5), 4u);
    EXPECT_EQ(count_heard_characters("caf\xC3\xA9 ole", 1), 8u);
}

TEST(speech_characters, are_not_one_too_few_for_a_share_that_is_a_quotient) {
    const std::string speech(100, 'a');
    for (int n = 0; n <= 100; ++n)
        EXPECT_EQ(count_heard_characters(speech, n / 100.0), static_cast<std::size_t>(n));
}

TEST(speech_characters, are_none_or_all_for_shares_that_cannot_be) {
    EXPECT_EQ(count_heard_characters("abc", -0.5), 0u);
    EXPECT_EQ(count_heard_characters("abc", 7), 3u);
    EXPECT_EQ(count_heard_characters("abc", std::nan("")), 0u);
    EXPECT_EQ(count_heard_characters("abc", std::numeric_limits<double>::infinity()), 3u);
    EXPECT_EQ(count_heard_characters("", 0.5), 0u);
}

// The position of speech in the text

TEST(map_speech_to_text_offset, is_the_place_itself_where_speech_is_the_text) {
    EXPECT_EQ(map_speech_to_text_offset("caf\xC3\xA9 ole", "caf\xC3\xA9 ole", {}, 4), 5u);
    EXPECT_EQ(map_speech_to_text_offset(" a b", " a b", {}, 2), 2u);
}

TEST(map_speech_to_text_offset,
     is_nothing_before_the_first_character_and_everything_after_the_last) {
    const auto marked = spoken("**Hi** there.\n");
    EXPECT_EQ(text_offset(marked, 0), 0u);
    EXPECT_EQ(text_offset(marked, 9), 14u);
    EXPECT_EQ(text_offset(marked, 999), 14u);
    const auto code = spoken("```\nls\n```");
    EXPECT_EQ(text_offset(code, 0), 0u);
    EXPECT_EQ(text_offset(code, 1), 10u);
}

TEST(map_speech_to_text_offset, leaves_marks_before_a_word_unheard_and_takes_those_after_it) {
    EXPECT_EQ(heard("So **very** good.", "So"), "So");
    EXPECT_EQ(heard("So **very** good.", "So ve"), "So **ve");
    EXPECT_EQ(heard("So **very** good.", "So very"), "So **very**");
    EXPECT_EQ(heard("So **very** good.", "So very "), "So **very** ");
    EXPECT_EQ(heard("un**believ**able so", "unbelievab"), "un**believ**ab");
}

TEST(map_speech_to_text_offset, takes_the_target_of_a_link_with_its_last_word) {
    constexpr auto text = "See [the docs](https://example.com/say/the) say so.";
    EXPECT_EQ(heard(text, "See the"), "See [the");
    EXPECT_EQ(heard(text, "See the doc"), "See [the doc");
    EXPECT_EQ(heard(text, "See the docs"), "See [the docs](https://example.com/say/the)");
    EXPECT_EQ(heard(text, "See the docs s"), "See [the docs](https://example.com/say/the) s");
}

TEST(map_speech_to_text_offset, finds_the_host_in_a_web_address) {
    text::speech_options options;
    options.urls = url_speech::host;
    constexpr auto text = "Go to https://www.example.com/some/page now.";
    EXPECT_EQ(heard(text, "Go to exam", options), "Go to https://www.exam");
    EXPECT_EQ(heard(text, "Go to example.com", options), "Go to https://www.example.com/some/page");
    EXPECT_EQ(heard(text, "Go to example.com n", options),
              "Go to https://www.example.com/some/page n");
}

TEST(map_speech_to_text_offset, takes_a_reference_for_what_it_stands_for) {
    EXPECT_EQ(heard("Fish &amp; chips", "Fish &"), "Fish &amp;");
    EXPECT_EQ(heard("Fish &amp; chips", "Fish & c"), "Fish &amp; c");
    EXPECT_EQ(heard("it&#39;s amply &amp; a", "it's amp"), "it&#39;s amp");
}

TEST(map_speech_to_text_offset, passes_by_what_is_not_spoken) {
    EXPECT_EQ(heard("Hi \xF0\x9F\x98\x80 you", "Hi y"), "Hi \xF0\x9F\x98\x80 y");
    EXPECT_EQ(heard("A<br>big <b class=\"a b\">cat</b> sat", "A big c"),
              "A<br>big <b class=\"a b\">c");
    EXPECT_EQ(heard("Run this:\n```sh\nls now\n```\nNow wait.", "Run this:\nN"),
              "Run this:\n```sh\nls now\n```\nN");
    EXPECT_EQ(heard("# Title\n\n- one\n- two", "Title\n\none\nt"), "# Title\n\n- one\n- t");
}

TEST(map_speech_to_text_offset, does_not_look_for_what_only_speech_has) {
    EXPECT_EQ(heard("| one | two, three | four |", "one, t"), "| one | t");
}

TEST(map_speech_to_text_offset, takes_a_replaced_word_as_a_whole_or_not_at_all) {
    text::speech_options options;
    options.replace = {{"Dr.", "Doctor"}, {"No", "10"}, {"%", "percent"}};
    EXPECT_EQ(heard("Hi **Dr.** No", "Hi ", options), "Hi ");
    EXPECT_EQ(heard("Hi **Dr.** No", "Hi Docto", options), "Hi **");
    EXPECT_EQ(heard("Hi **Dr.** No", "Hi Doctor", options), "Hi **Dr.**");
    EXPECT_EQ(heard("Hi **Dr.** No", "Hi Doctor 1", options), "Hi **Dr.** ");
    EXPECT_EQ(heard("No 5% so", "1", options), "");
    EXPECT_EQ(heard("No 5% so", "10", options), "No");
    EXPECT_EQ(heard("No 5% so", "10 5 perc", options), "No 5");
    EXPECT_EQ(heard("No 5% so", "10 5 percent", options), "No 5%");
}

TEST(map_speech_to_text_offset, finds_a_word_that_the_text_repeats) {
    text::speech_options options;
    options.replace = {{"an", "ba na"}};
    EXPECT_EQ(heard("<b>an</b> ba an [an](an) na", "ba na ba", options), "<b>an</b> ba");
    EXPECT_EQ(heard("<b>an</b> ba an [an](an) na", "ba na ba ba na ba na", options),
              "<b>an</b> ba an [an](an)");
}

/// Words with marks around and between them. Each word contains its number.
std::string marked_text(std::mt19937& random, int words) {
    static constexpr struct {
        std::string_view before, behind;
    } marks[] = {{"", ""},
                 {"", ","},
                 {"", "."},
                 {"**", "**"},
                 {"*", "*"},
                 {"_", "_"},
                 {"`", "`"},
                 {"<b>", "</b>"},
                 {"\xF0\x9F\x98\x80 ", ""},
                 {"(", ")"},
                 {"&quot;", "&quot;"},
                 {"[", "](https://w1.com/w2)"},
                 {"<i class=\"w3\">", "</i>"},
                 {"~~", "~~"},
                 {"\n- ", "\n\n"},
                 {"$5 ", "!"}};
    std::string text;
    for (int i = 0; i < words; ++i) {
        const auto& m = marks[random() % std::size(marks)];
        text += std::string(i ? " " : "") + std::string(m.before) + "w" + std::to_string(i) + "x" +
                std::string(m.behind);
    }
    return text;
}

TEST(map_speech_to_text_offset, is_after_the_last_word_spoken_and_before_the_next) {
    constexpr int words = 12;
    for (unsigned seed = 0; seed < 500 && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        const auto text = marked_text(random, words);
        const auto c = spoken(text);
        for (int i = 0; i + 1 < words; ++i) {
            const auto word = "w" + std::to_string(i) + "x";
            const auto next = "w" + std::to_string(i + 1) + "x";
            const auto end = c.speech.find(word) + word.size();
            ASSERT_LT(end, c.speech.size());
            const auto offset = text_offset(c, text::count_characters(c.speech.substr(0, end)));
            EXPECT_GE(offset, text.find(word) + word.size()) << text << " / " << word;
            EXPECT_LE(offset, text.find(next)) << text << " / " << word;
        }
    }
}

TEST(map_speech_to_text_offset, grows_with_what_was_spoken_and_stays_between_characters) {
    static constexpr std::string_view parts[] = {"a",          "word",
                                                 " the",       " ",
                                                 "\n",         "\n\n",
                                                 "\n- ",       "\n# ",
                                                 "\n```",      "```\n",
                                                 "**",         "_",
                                                 "`",          "[",
                                                 "](",         ")",
                                                 "<b>",        "</b>",
                                                 "&amp;",      "&#39;",
                                                 "\\",         "$",
                                                 "#",          "1",
                                                 ".",          ",",
                                                 "é",          "—",
                                                 "。",         "我",
                                                 "😀",          "❤️",
                                                 "| ",         "https://x.com/a_b",
                                                 "<a href=\"", "\">"};
    for (unsigned seed = 0; seed < 2000 && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        std::string text;
        for (auto n = random() % 20; n > 0; --n) text += parts[random() % std::size(parts)];
        const auto c = spoken(text);
        const auto count = text::count_characters(c.speech);
        std::size_t before = 0;
        for (std::size_t n = 0; n <= count; ++n) {
            const auto offset = text_offset(c, n);
            EXPECT_GE(offset, before) << text;
            EXPECT_EQ(text::floor_to_character(text, offset), offset) << text;
            EXPECT_TRUE(n > 0 || offset == 0) << text;
            before = offset;
        }
        EXPECT_TRUE(count == 0 || before == text.size()) << text;
    }
}

// Whole words

std::string words(std::string_view text, std::size_t offset) {
    return std::string(text.substr(0, floor_to_word_end(text, offset)));
}

TEST(floor_to_word_end, are_those_up_to_the_offset) {
    constexpr std::string_view text = "One two, three.";
    EXPECT_EQ(words(text, 0), "");
    EXPECT_EQ(words(text, 2), "");
    EXPECT_EQ(words(text, 3), "One");
    EXPECT_EQ(words(text, 4), "One");
    EXPECT_EQ(words(text, 6), "One");
    EXPECT_EQ(words(text, 7), "One two");
    EXPECT_EQ(words(text, 8), "One two,");
    EXPECT_EQ(words(text, 9), "One two,");
    EXPECT_EQ(words(text, 14), "One two, three");
    EXPECT_EQ(words(text, 15), "One two, three.");
    EXPECT_EQ(words(text, 999), "One two, three.");
}

TEST(floor_to_word_end, are_not_cut_at_marks_inside_them) {
    for (const std::string_view word : {"don't", "well-known", "3.14", "$5", "https://x.com/a"})
        for (std::size_t n = 1; n < word.size(); ++n)
            EXPECT_EQ(words("Yes " + std::string(word) + " ok", 4 + n), "Yes") << word << n;
}

TEST(floor_to_word_end, do_not_end_with_what_belongs_to_the_next_one) {
    EXPECT_EQ(words("Yes (maybe)", 5), "Yes");
    EXPECT_EQ(words("Yes (maybe)", 7), "Yes");
    EXPECT_EQ(words("Sure.\n\n- Hello", 8), "Sure.");
    EXPECT_EQ(words("Sure.\n\n- Hello", 10), "Sure.");
    EXPECT_EQ(words("- Hello", 2), "");
}

TEST(floor_to_word_end, are_signs_too) {
    EXPECT_EQ(words("So \xF0\x9F\x98\x80 ok", 7), "So \xF0\x9F\x98\x80");
    // A family emoji is one visible character.
    EXPECT_EQ(words("So 👨‍👩‍👧 ok", 7), "So");
}

TEST(floor_to_word_end, are_single_characters_if_no_spaces_are_written) {
    EXPECT_EQ(words("你好，世界", 3), "你");
    EXPECT_EQ(words("你好，世界", 4), "你");
    EXPECT_EQ(words("你好，世界", 6), "你好");
    EXPECT_EQ(words("你好，世界", 9), "你好，");
    EXPECT_EQ(words("こんにちは", 9), "こんに");
    EXPECT_EQ(words("iPhone手机", 3), "");
    EXPECT_EQ(words("iPhone手机", 6), "iPhone");
    EXPECT_EQ(words("iPhone手机", 9), "iPhone手");
}

TEST(floor_to_word_end, keep_a_thai_vowel_with_its_consonant) {
    constexpr std::string_view text = "ที่นี่";  // two syllables of a consonant, a vowel and a tone
    EXPECT_EQ(words(text, 3), "");
    EXPECT_EQ(words(text, 6), "");
    EXPECT_EQ(words(text, 9), "ที่");
    EXPECT_EQ(words(text, 12), "ที่");
}

TEST(floor_to_word_end, of_korean_are_parted_by_spaces) {
    EXPECT_EQ(words("안녕 하세요", 3), "");
    EXPECT_EQ(words("안녕 하세요", 10), "안녕");
}

TEST(floor_to_word_end, end_before_an_accent_only_if_it_was_heard) {
    EXPECT_EQ(words("so cafe\xCC\x81 ok", 7), "so");
    EXPECT_EQ(words("so cafe\xCC\x81 ok", 9), "so cafe\xCC\x81");
}

TEST(floor_to_word_end, are_never_cut_whatever_the_text) {
    static constexpr std::string_view parts[] = {"a", "word",   " ", "\n", ".",  ",",
                                                 "-", "'",      "é", "我", "。", "ี",
                                                 "😀", "\u200D", "(", "\"", "1"};
    for (unsigned seed = 0; seed < 2000 && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        std::string text;
        for (auto n = random() % 16; n > 0; --n) text += parts[random() % std::size(parts)];
        std::size_t before = 0;
        for (std::size_t offset = 0; offset <= text.size(); ++offset) {
            const auto end = floor_to_word_end(text, offset);
            EXPECT_LE(end, offset);
            EXPECT_GE(end, before);
            EXPECT_EQ(text::floor_to_character(text, end), end);
            EXPECT_EQ(floor_to_word_end(text, end), end);
            before = end;
        }
    }
}

}  // namespace
}  // namespace tandem::conversations

#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"
#include "text/speech/speech_cleaner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::text {
namespace {

/// Chunks of random marks and words. The generator's seed determines them.
std::vector<std::string> random_chunks(std::mt19937& random) {
    static constexpr std::string_view parts[] = {"a",
                                                 "word",
                                                 " the",
                                                 " ",
                                                 " ",
                                                 "\n",
                                                 "\n\n",
                                                 "\n- ",
                                                 "\n# ",
                                                 "\n> ",
                                                 "\n```",
                                                 "```\n",
                                                 "\n| ",
                                                 " | ",
                                                 "|",
                                                 "\n---\n",
                                                 "\n1. ",
                                                 "*",
                                                 "**",
                                                 "_",
                                                 "__",
                                                 "~~",
                                                 "`",
                                                 "``",
                                                 "[",
                                                 "]",
                                                 "](",
                                                 "(",
                                                 ")",
                                                 "![",
                                                 "[1]",
                                                 "[^a]",
                                                 "<",
                                                 ">",
                                                 "<b>",
                                                 "</b>",
                                                 "<br/>",
                                                 "<a href=\"",
                                                 "<|x|>",
                                                 "&",
                                                 "&amp;",
                                                 "&#39;",
                                                 "\\",
                                                 "\\*",
                                                 "$",
                                                 "$$",
                                                 "$5",
                                                 "#",
                                                 "1",
                                                 ".",
                                                 ",",
                                                 "!",
                                                 "https://",
                                                 "https://x.com/a_b",
                                                 "www.",
                                                 "\xC3\xA9",
                                                 "\xE2\x80\x94",
                                                 "\xE3\x80\x82",
                                                 "\xF0\x9F\x98\x80",
                                                 "\xE2\x80\x8D",
                                                 "\xEF\xB8\x8F",
                                                 "\xE2\x9D\xA4",
                                                 "\xC2\xA9"};
    std::vector<std::string> chunks(1 + random() % 6);
    for (auto& chunk : chunks)
        for (auto n = random() % 12; n > 0; --n) chunk += parts[random() % std::size(parts)];
    return chunks;
}

speech_options random_options(std::mt19937& random) {
    return {random() % 2 ? emoji_speech::removed : emoji_speech::kept,
            random() % 2 ? code_speech::skipped : code_speech::spoken,
            random() % 2 ? url_speech::kept : url_speech::host};
}

template <class Check>
void for_random_replies(Check check) {
    for (unsigned seed = 0; seed < 20000 && !::testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        const auto options = random_options(random);
        check(options, random_chunks(random));
    }
}

TEST(speech_cleaner_properties, speech_is_valid_text_and_not_much_longer) {
    for_random_replies([](const speech_options& options, const std::vector<std::string>& chunks) {
        speech_cleaner cleaner(options);
        for (const auto& chunk : chunks) {
            const auto speech = cleaner.clean(chunk).speech;
            EXPECT_EQ(find_invalid_utf8(speech), std::string_view::npos) << chunk;
            EXPECT_LE(speech.size(), 2 * chunk.size() + 1) << chunk;
            EXPECT_TRUE(speech.empty() || !is_all_white_space(speech)) << chunk;
        }
    });
}

TEST(speech_cleaner_properties, speech_without_marks_is_the_text) {
    for (unsigned seed = 0; seed < 5000 && !::testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        static constexpr std::string_view words[] = {
            "a",    "what", " how,", " the",       ". Yes",        "!",   "?",    " 3 * 4",
            " x_y", " C#",  " it's", " \xC3\xA9t", "\xE2\x80\x94", " $5", " a|b", " [ok]"};
        std::mt19937 random(seed);
        speech_cleaner cleaner;
        std::string text, speech;
        for (auto n = random() % 6; n > 0; --n) {
            std::string chunk("so");
            for (auto m = random() % 6; m > 0; --m) chunk += words[random() % std::size(words)];
            text += chunk;
            speech += cleaner.clean(chunk).speech;
        }
        EXPECT_EQ(speech, text);
    }
}

TEST(speech_cleaner_properties, words_that_were_two_stay_two) {
    static constexpr std::string_view parting[] = {" ",
                                                   "\n",
                                                   " \xF0\x9F\x98\x80 ",
                                                   "\xF0\x9F\x98\x80",
                                                   "<br>",
                                                   " <br> ",
                                                   " [1] ",
                                                   "[1] ",
                                                   "\n\n---\n\n",
                                                   "\n```\ncode\n```\n",
                                                   "\n- ",
                                                   "\n> ",
                                                   "\n# ",
                                                   " **",
                                                   "** ",
                                                   " | ",
                                                   "<p>",
                                                   " ![](a.png) ",
                                                   "\n\n"};
    for (const auto first : parting)
        for (const auto second : parting) {
            const auto text = "ab" + std::string(first) + "cd" + std::string(second) + "ef";
            for (std::size_t cut = 0; cut <= text.size(); ++cut) {
                if (floor_to_character(text, cut) != cut) continue;
                speech_cleaner cleaner;
                auto speech = cleaner.clean(std::string_view(text).substr(0, cut)).speech;
                speech += cleaner.clean(std::string_view(text).substr(cut)).speech;
                EXPECT_EQ(speech.find("abcd"), std::string::npos) << text << " at " << cut;
                EXPECT_EQ(speech.find("cdef"), std::string::npos) << text << " at " << cut;
            }
        }
}

class hostile_text : public ::testing::TestWithParam<const char*> {};

TEST_P(hostile_text, is_cleaned_in_linear_time) {
    std::string text;
    while (text.size() < 1'000'000) text += GetParam();
    speech_cleaner cleaner;
    EXPECT_LE(cleaner.clean(text).speech.size(), 2 * text.size());
    EXPECT_LE(cleaner.clean(text).speech.size(), 2 * text.size());
}

INSTANTIATE_TEST_SUITE_P(table, hostile_text,
                         ::testing::Values("*", "a*", "*a", "**a ", "_", "_a", "`", "` ``", "~",
                                           "~~a", "[", "[a", "]", "[a](", "](", "![", "[1", "(",
                                           ")", "http://", "http://)", "<", "<a ", "<a", "<|", "</",
                                           "<!--", "<x>", "<b", "<b a='", "&", "&#", "\\", "$",
                                           "$a", "$$", "#", "\n#", "\n> ", "> ", "- ", "\n- ",
                                           "\n```", "\n``` ", "```a", "a```\n", "|", "\n| ", "| ",
                                           "\n", " ", "\xF0\x9F\x98\x80", "\xE2\x80\x8D",
                                           " \xF0\x9F\x98\x80"));

}  // namespace
}  // namespace tandem::text

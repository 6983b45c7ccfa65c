// Rules that hold for every text and every division into tokens.

#include "sentence_table.hpp"
#include "text/characters/white_space.hpp"
#include "unit/text/random_text.hpp"

#include "tandem/sentence.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::text {
namespace {

constexpr unsigned texts = 3000;
constexpr std::size_t max_token_count = 60;

using string_list = std::vector<std::string>;

std::string joined(const string_list& parts) {
    return std::accumulate(parts.begin(), parts.end(), std::string());
}

void append(string_list& to, const string_list& more) {
    to.insert(to.end(), more.begin(), more.end());
}

/// The sentences that feed() returned, and the number of tokens that had been fed by then.
struct announced {
    string_list sentences;
    std::vector<std::size_t> after;
};

announced announced_by(const string_list& tokens) {
    sentence_splitter splitter;
    announced a;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        append(a.sentences, splitter.feed(tokens[i]));
        a.after.resize(a.sentences.size(), i + 1);
    }
    return a;
}

string_list sentences_of(const string_list& tokens, sentence_options options = {}) {
    sentence_splitter splitter(options);
    string_list all;
    for (const auto& t : tokens) append(all, splitter.feed(t));
    append(all, splitter.finish());
    return all;
}

string_list in_bytes(std::string_view text) {
    string_list tokens;
    for (const char c : text) tokens.emplace_back(1, c);
    return tokens;
}

bool is_blank(std::string_view text) {
    return is_all_white_space(text);
}

/// The index of the token that contains the last of the first `bytes` bytes of the text.
std::size_t token_of(const string_list& tokens, std::size_t bytes) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i)
        if ((length += tokens[i].size()) >= bytes) return i;
    return tokens.size();
}

std::size_t visible_tokens(const string_list& tokens, std::size_t first, std::size_t last) {
    std::size_t n = 0;
    for (auto i = first; i < last; ++i) n += !is_blank(tokens[i]);
    return n;
}

TEST(joined_sentences, are_the_text_that_was_fed) {
    for (unsigned seed = 0; seed < texts; ++seed) {
        const auto tokens = random_text(seed).tokens(max_token_count);
        const auto text = joined(tokens);
        ASSERT_EQ(joined(sentences_of(tokens)), text) << "seed " << seed;
        ASSERT_EQ(joined(sentences_of(in_characters(text))), text) << "seed " << seed;
        ASSERT_EQ(joined(sentences_of(in_word_pieces(text))), text) << "seed " << seed;
        ASSERT_EQ(joined(sentences_of(in_random_pieces(text, seed))), text) << "seed " << seed;
        ASSERT_EQ(joined(split_sentences(text)), text) << "seed " << seed;
    }
}

TEST(joined_sentences, are_the_text_in_each_language) {
    for (const char* language : {"de", "fr", "es", "it", "pt", "nl", "sv", "da", "pl", "cs", "tr",
                                 "ru", "el", "hi", "ja", "xx"})
        for (unsigned seed = 0; seed < texts / 10; ++seed) {
            const auto tokens = random_text(seed).tokens(max_token_count);
            ASSERT_EQ(joined(sentences_of(tokens, {.language = language})), joined(tokens))
                << language << ", seed " << seed;
        }
}

TEST(joined_sentences, are_the_text_though_it_is_no_utf_8) {
    for (unsigned seed = 0; seed < texts; ++seed) {
        random_text random(seed);
        const auto bytes = random.bytes(300);
        ASSERT_EQ(joined(sentences_of(in_bytes(bytes))), bytes) << "seed " << seed;
        ASSERT_EQ(joined(split_sentences(bytes)), bytes) << "seed " << seed;
        ASSERT_EQ(joined(sentences_of(
                      {bytes.substr(0, bytes.size() / 2), bytes.substr(bytes.size() / 2)})),
                  bytes)
            << "seed " << seed;
    }
}

TEST(joined_sentences, are_the_text_by_the_classic_rule_too) {
    const sentence_options classic{.rule = boundary_rule::classic};
    for (unsigned seed = 0; seed < texts; ++seed) {
        const auto tokens = random_text(seed).tokens(max_token_count);
        ASSERT_EQ(joined(sentences_of(tokens, classic)), joined(tokens)) << "seed " << seed;
    }
}

TEST(single_bytes, make_the_sentences_of_single_characters) {
    for (unsigned seed = 0; seed < texts; ++seed) {
        const auto text = joined(random_text(seed).tokens(max_token_count));
        ASSERT_EQ(sentences_of(in_bytes(text)), sentences_of(in_characters(text)))
            << "seed " << seed;
    }
}

TEST(empty_tokens, change_nothing) {
    for (unsigned seed = 0; seed < texts; ++seed) {
        const auto tokens = random_text(seed).tokens(max_token_count);
        string_list with_gaps;
        for (const auto& t : tokens) append(with_gaps, {"", t, ""});
        ASSERT_EQ(sentences_of(with_gaps), sentences_of(tokens)) << "seed " << seed;
    }
}

TEST(sentences, are_never_empty_and_show_something_unless_they_are_the_last) {
    for (unsigned seed = 0; seed < texts; ++seed) {
        const auto sentences = sentences_of(random_text(seed).tokens(max_token_count));
        for (const auto& s : sentences) {
            ASSERT_FALSE(s.empty()) << "seed " << seed;
            ASSERT_TRUE(&s == &sentences.back() || !is_blank(s)) << "seed " << seed;
        }
    }
}

TEST(ends, are_reported_one_visible_token_later_at_most) {
    for (unsigned seed = 0; seed < texts; ++seed) {
        const auto tokens = random_text(seed).tokens(max_token_count);
        const auto told = announced_by(tokens);
        std::size_t end = 0;
        for (std::size_t i = 0; i < told.sentences.size(); ++i) {
            end += told.sentences[i].size();
            const auto last = token_of(tokens, end);
            // "<" may start a closing tag, which belongs to the sentence.
            const bool maybe_tag = last + 1 < tokens.size() && tokens[last + 1].starts_with('<');
            ASSERT_LE(visible_tokens(tokens, last + 1, told.after[i]), maybe_tag ? 2u : 1u)
                << "seed " << seed << ": " << told.sentences[i];
        }
    }
}

TEST(ends, that_were_reported_stay_whatever_follows) {
    for (unsigned seed = 0; seed < texts; ++seed) {
        random_text random(seed);
        auto tokens = random.tokens(max_token_count);
        tokens.resize(random.below(tokens.size() + 1));
        const auto told = announced_by(tokens).sentences;
        append(tokens, random.tokens(max_token_count));
        const auto all = sentences_of(tokens);
        ASSERT_GE(all.size(), told.size()) << "seed " << seed;
        ASSERT_EQ(string_list(all.begin(), all.begin() + std::ssize(told)), told)
            << "seed " << seed;
    }
}

/// The ends of sentences within the first `bytes` bytes.
std::vector<std::size_t> ends_within(const string_list& sentences, std::size_t bytes) {
    std::vector<std::size_t> ends;
    std::size_t end = 0;
    for (const auto& s : sentences)
        if ((end += s.size()) <= bytes) ends.push_back(end);
    return ends;
}

string_list first_of(const string_list& tokens, std::size_t count) {
    return {tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(count)};
}

// Skips texts with tags: a tag after a full stop may belong to the sentence, so the sentence end is
// only certain after the whole tag, which may have several tokens.
TEST(ends, need_one_visible_token_after_them_and_no_more) {
    unsigned tried = 0;
    for (unsigned seed = 0; seed < texts; ++seed) {
        random_text random(seed);
        const auto tokens = random.tokens(max_token_count);
        const auto decided = random.below(tokens.size() + 1);
        auto next = decided;
        while (next < tokens.size() && is_blank(tokens[next])) ++next;
        if (next >= tokens.size()) continue;
        auto other = first_of(tokens, next + 1);
        if (joined(other).find('<') != std::string::npos) continue;
        append(other, random.tokens(max_token_count));
        const auto bytes = joined(first_of(tokens, decided)).size();
        ASSERT_EQ(ends_within(sentences_of(tokens), bytes), ends_within(sentences_of(other), bytes))
            << "seed " << seed;
        ++tried;
    }
    EXPECT_GT(tried, texts / 4);
}

TEST(holds, that_expire_lose_nothing) {
    for (unsigned seed = 0; seed < texts; ++seed) {
        random_text random(seed);
        sentence_splitter splitter;
        string_list all;
        std::string fed;
        for (auto n = random.below(max_token_count); n > 0; --n) {
            const auto token = random.token();
            fed += token;
            append(all, splitter.feed(token));
            if (random.below(3) > 0) continue;
            const bool held = splitter.is_holding();
            const auto ended = splitter.hold_expired();
            ASSERT_EQ(held, !ended.empty()) << "seed " << seed;
            append(all, ended);
        }
        append(all, splitter.finish());
        ASSERT_EQ(joined(all), fed) << "seed " << seed;
    }
}

TEST(holds, end_the_sentence_that_could_end) {
    sentence_splitter splitter;
    splitter.feed("Is it Bo");
    EXPECT_FALSE(splitter.is_holding());
    EXPECT_EQ(splitter.hold_expired(), string_list{});
    EXPECT_EQ(splitter.feed("?"), string_list{});
    EXPECT_TRUE(splitter.is_holding());
    EXPECT_EQ(splitter.hold_expired(), string_list{"Is it Bo?"});
    EXPECT_FALSE(splitter.is_holding());
    EXPECT_EQ(splitter.feed(" We"), string_list{});
    EXPECT_EQ(splitter.finish(), string_list{" We"});
}

TEST(holds, are_not_told_after_a_title) {
    sentence_splitter splitter;
    splitter.feed("Ask Dr.");
    EXPECT_FALSE(splitter.is_holding());
}

TEST(finish, makes_the_splitter_as_new) {
    sentence_splitter splitter;
    for (unsigned seed = 0; seed < texts / 10; ++seed) {
        const auto tokens = random_text(seed).tokens(max_token_count);
        string_list all;
        for (const auto& t : tokens) append(all, splitter.feed(t));
        append(all, splitter.finish());
        ASSERT_EQ(all, sentences_of(tokens)) << "seed " << seed;
        ASSERT_FALSE(splitter.is_holding());
        ASSERT_EQ(splitter.finish(), string_list{});
    }
}

TEST(no_text, has_no_sentence) {
    EXPECT_EQ(split_sentences(""), string_list{});
    EXPECT_EQ(split_sentences(" \n"), string_list{" \n"});
}

TEST(splitters, can_be_moved_in_the_middle_of_a_text) {
    sentence_splitter first;
    first.feed("It is late. Go");
    sentence_splitter second(std::move(first));
    EXPECT_EQ(second.finish(), string_list{" Go"});
}

}  // namespace
}  // namespace tandem::text

#include "sentence_table.hpp"

#include "text/characters/characters.hpp"
#include "text/characters/utf8.hpp"

#include "tandem/sentence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tandem::text {
namespace {

constexpr unsigned seeds = 3;
constexpr std::size_t longest_run_of_marks = 4;
constexpr std::size_t longest_run_of_digits = 3;
constexpr std::size_t max_piece_bytes = 6;

enum class sort { letter, digit, line_break, space, ascii_mark, mark };

sort sort_of(std::string_view character) {
    const auto c = decode_first_character(character).character;
    if (is_letter(c)) return sort::letter;
    if (is_digit(c)) return sort::digit;
    if (c == '\n') return sort::line_break;
    if (c == ' ') return sort::space;
    return c < 0x80 ? sort::ascii_mark : sort::mark;
}

std::size_t longest_run(sort s) {
    switch (s) {
        case sort::letter:
        case sort::line_break:
            return std::string_view::npos;
        case sort::digit:
            return longest_run_of_digits;
        case sort::ascii_mark:
            return longest_run_of_marks;
        default:
            return 1;
    }
}

std::string without_bars(std::string_view marked) {
    std::string text(marked);
    std::erase(text, '|');
    return text;
}

void expect_row(std::string_view language, const sentence_row& row) {
    const auto text = without_bars(row.marked);
    const auto expect = [&](const char* name, const token_list& tokens) {
        const auto found = marked_sentences(tokens, language);
        if (found != row.marked)
            ADD_FAILURE() << name << ":\n  expected " << row.marked << "\n  found    " << found;
    };
    if (row.holds_for & whole_text) expect("in one token", {text});
    if (row.holds_for & token_like_pieces) expect("in word pieces", in_word_pieces(text));
    if (row.holds_for & characters) expect("in characters", in_characters(text));
    if (!(row.holds_for & random_pieces)) return;
    for (unsigned seed = 1; seed <= seeds; ++seed)
        expect("in random pieces", in_random_pieces(text, seed));
}

}  // namespace

token_list in_characters(std::string_view text) {
    token_list tokens;
    while (!text.empty()) {
        tokens.emplace_back(text.substr(0, decode_first_character(text).bytes));
        text.remove_prefix(tokens.back().size());
    }
    return tokens;
}

token_list in_word_pieces(std::string_view text) {
    token_list tokens;
    sort run = sort::space;
    std::size_t length = 0;
    for (const auto& c : in_characters(text)) {
        const auto s = sort_of(c);
        const bool goes_on = length > 0 && s == run && length < longest_run(run);
        const bool takes_space =
            run == sort::space && length == 1 && s != sort::line_break && s != sort::space;
        if (goes_on || takes_space)
            tokens.back() += c;
        else
            tokens.push_back(c);
        length = goes_on ? length + 1 : 1;
        run = s;
    }
    return tokens;
}

token_list in_random_pieces(std::string_view text, unsigned seed) {
    std::mt19937 random(seed);
    token_list tokens;
    std::size_t left = 0;
    for (const auto& c : in_characters(text)) {
        if (left == 0) {
            left = 1 + random() % max_piece_bytes;
            tokens.emplace_back();
        }
        tokens.back() += c;
        --left;
    }
    return tokens;
}

std::string marked_sentences(const token_list& tokens, std::string_view language) {
    sentence_splitter splitter({.language = std::string(language)});
    std::string marked;
    const auto add = [&](const std::vector<std::string>& sentences) {
        for (const auto& s : sentences) marked += (marked.empty() ? "" : "|") + s;
    };
    for (const auto& t : tokens) add(splitter.feed(t));
    add(splitter.finish());
    return marked;
}

void expect_sentences(std::string_view language, std::initializer_list<sentence_row> rows) {
    for (const auto& row : rows) expect_row(language, row);
}

void expect_sentences(std::initializer_list<sentence_row> rows) {
    expect_sentences("", rows);
}

}  // namespace tandem::text

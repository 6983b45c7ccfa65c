// Texts that are large or designed to be slow to process. A test ends quickly if the work is
// linear in the length of the text, and exceeds the time limit of ctest if the work is quadratic.

#include "support/process.hpp"
#include "text/sentences/spoken_boundary_detector.hpp"

#include "tandem/sentence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace tandem::text {
namespace {

constexpr std::size_t megabyte = 1'000'000;
constexpr std::size_t large_token = 4096;

std::string repeated(std::string_view part, std::size_t bytes = megabyte) {
    std::string text;
    text.reserve(bytes + part.size());
    while (text.size() < bytes) text += part;
    return text;
}

/// Feeds the text in tokens of `bytes` bytes each. Returns the number of bytes in all sentences.
std::size_t read_in_tokens(std::string_view text, std::size_t bytes) {
    sentence_splitter splitter;
    std::size_t out = 0;
    const auto count = [&](const std::vector<std::string>& sentences) {
        for (const auto& s : sentences) out += s.size();
    };
    for (; !text.empty(); text.remove_prefix(std::min(bytes, text.size())))
        count(splitter.feed(text.substr(0, bytes)));
    count(splitter.finish());
    return out;
}

void expect_to_finish(std::string_view text, std::size_t max_token_bytes = megabyte) {
    for (const auto bytes : {std::size_t{1}, std::size_t{7}, max_token_bytes})
        EXPECT_EQ(read_in_tokens(text, bytes), text.size());
}

TEST(hostile_text, without_any_stop_is_read_in_linear_time) {
    expect_to_finish(repeated("word and "));
}

TEST(hostile_text, of_one_word_is_read_in_linear_time) {
    expect_to_finish(repeated("a"));
}

TEST(hostile_text, of_quotes_is_read_in_linear_time) {
    expect_to_finish(repeated("\""));
    expect_to_finish(repeated("“"));
    expect_to_finish(repeated("a.\""));
}

TEST(hostile_text, of_opening_brackets_is_read_in_linear_time) {
    expect_to_finish(repeated("("));
    expect_to_finish(repeated("a ("));
}

TEST(hostile_text, of_stops_is_read_in_linear_time) {
    expect_to_finish(repeated("."));
    expect_to_finish("a" + repeated("."));
    expect_to_finish("a" + repeated(" ."));
}

TEST(hostile_text, of_shouts_and_emoji_is_read_in_linear_time) {
    expect_to_finish("a" + repeated("!?"));
    expect_to_finish("a" + repeated("😀"));
    expect_to_finish("a. " + repeated("😀"));
}

TEST(hostile_text, of_white_space_is_read_in_linear_time) {
    expect_to_finish(repeated(" "));
    expect_to_finish("a." + repeated(" "));
    expect_to_finish("a" + repeated("\n"));
}

TEST(hostile_text, of_deep_nesting_is_read_in_linear_time) {
    expect_to_finish(repeated("(", megabyte / 2) + "a." + repeated(")", megabyte / 2));
    expect_to_finish(repeated("a “b ‘c [d {e "));
}

TEST(hostile_text, of_back_ticks_and_tags_is_read_in_linear_time) {
    expect_to_finish(repeated("`"));
    expect_to_finish(repeated("a.<b"));
    expect_to_finish("a.<" + repeated("b"));
}

TEST(hostile_text, of_undecided_marks_is_read_in_linear_time) {
    expect_to_finish(repeated("a. \"("));
    expect_to_finish(repeated("U.S. "));
    expect_to_finish(repeated("J. T"), large_token);
}

TEST(hostile_text, of_short_sentences_is_read_in_linear_time) {
    expect_to_finish(repeated("No way.\n"), large_token);
}

TEST(memory, of_the_detector_does_not_grow_with_the_sentence) {
    const std::string_view parts[] = {" word", " and", ",",  " (", "\"",  " U.S", ".", " the",
                                      " e.g",  ".",    " x", "…",  " go", " 3",   ".", "5"};
    spoken_boundary_detector detector;
    const auto feed = [&](std::size_t bytes) {
        for (std::size_t n = 0, i = 0; n < bytes; ++i) {
            const auto part = parts[i % std::size(parts)];
            n += part.size();
            for (auto v = detector.feed(part); v.settled;)
                v = detector.end_sentence_after(*v.settled);
        }
    };
    feed(megabyte / 10);
    const auto before = tandem::testing::heap_bytes();
    feed(10 * megabyte);
    EXPECT_LE(tandem::testing::heap_bytes(), before + 1024);
}

TEST(memory, of_the_detector_does_not_grow_with_a_sentence_that_never_ends) {
    spoken_boundary_detector detector;
    detector.feed("It");
    const auto before = tandem::testing::heap_bytes();
    for (std::size_t n = 0; n < 10 * megabyte; n += 5)
        ASSERT_FALSE(detector.feed(" word").settled.has_value());
    EXPECT_LE(tandem::testing::heap_bytes(), before + 1024);
}

}  // namespace
}  // namespace tandem::text

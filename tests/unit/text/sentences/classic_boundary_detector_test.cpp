#include "text/sentences/classic_boundary_detector.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::text {
namespace {

struct text_case {
    std::string_view text;
    bool matches;
};

TEST(ClassicBoundary, MatchesAMarkClosingQuotesAndWhiteSpace) {
    const text_case cases[] = {
        {"Hello", false},
        {"Hello.", true},
        {"Hello!", true},
        {"Hello?", true},
        {"Hello,", false},
        {"He said \"Hello!\"", true},
        {"(He said 'Hello?')", true},
        {"Wait...", true},
        {"Hello. ", true},
        {"Hello.\n\n", true},
        {"Hello.\xC2\xA0\xE3\x80\x80", true},
        {"Hello. \"", false},
        {"Hello.\" ", true},
        {"Hello.]", false},
        {"Hello.\xE2\x80\x9D", false},
        {"Hello. How", false},
        {"1.", true},
        {"1.5", false},
        {"\"')", false},
        {".", true},
        {"  ", false},
        {"Mr.", true},
        {"\xE3\x80\x82", false},
    };
    for (const auto& c : cases) {
        classic_boundary_detector whole;
        EXPECT_EQ(whole.feed(c.text).pending.has_value(), c.matches) << c.text;
    }
}

/// The verdict after the last token. Like a real caller, consumes settled ends before each token.
boundary_verdict after(const std::vector<std::string_view>& tokens) {
    classic_boundary_detector detector;
    boundary_verdict v;
    for (const auto token : tokens) {
        if (v.settled) v = detector.end_sentence_after(*v.settled);
        v = detector.feed(token);
    }
    return v;
}

/// The rule, applied to the end of the whole text.
bool matches_rule(std::string text) {
    const auto strip = [&](std::string_view set) { text.erase(text.find_last_not_of(set) + 1); };
    strip(" \n");
    strip("\"')");
    return text.find_last_of(".!?") == text.size() - 1 && !text.empty();
}

TEST(ClassicBoundary, MatchesAsTheWholeTextDoes) {
    std::mt19937 random(1);
    std::uniform_int_distribution<std::size_t> any(0, 9);
    for (int i = 0; i < 2000; ++i) {
        classic_boundary_detector detector;
        std::string text;
        for (std::size_t n = any(random); n > 0; --n) text += ".!?\"') \na,"[any(random)];
        boundary_verdict v;
        for (const char c : text) {
            if (v.settled) detector.end_sentence_after(*v.settled);
            v = detector.feed(std::string_view(&c, 1));
        }
        EXPECT_EQ(v.pending.has_value(), matches_rule(text)) << text;
    }
}

TEST(ClassicBoundary, IsPendingUntilTheNextToken) {
    const auto v = after({"Hello", "!"});
    EXPECT_EQ(v.pending, 6u);
    EXPECT_EQ(v.settled, std::nullopt);
}

TEST(ClassicBoundary, IsSettledByATokenThatBreaksTheMatch) {
    const auto v = after({"Hello", "!", " How"});
    EXPECT_EQ(v.settled, 6u);
    EXPECT_EQ(v.pending, std::nullopt);
}

TEST(ClassicBoundary, AbsorbsTokensThatKeepTheMatch) {
    for (const std::string_view token : {"\"", "..", "\n\n", ")", "' ", " ."}) {
        const auto v = after({"Hello", "!", token});
        EXPECT_EQ(v.pending, 6 + token.size()) << token;
        EXPECT_EQ(v.settled, std::nullopt) << token;
    }
}

TEST(ClassicBoundary, TakesAnOpeningQuoteAfterASpaceForTheNextSentence) {
    EXPECT_EQ(after({"Hello", "!", " \""}).settled, 6u);
    EXPECT_EQ(after({"Hello", "!", " ", "\""}).settled, 7u);
}

TEST(ClassicBoundary, LooksAtTheEndOfTokensOnly) {
    const auto v = after({"Hello! How"});
    EXPECT_EQ(v.pending, std::nullopt);
    EXPECT_EQ(v.settled, std::nullopt);
}

TEST(ClassicBoundary, CountsFromTheEndOfWhatWasConsumed) {
    EXPECT_EQ(after({"One", ".", " Two", "."}).pending, 5u);
    EXPECT_EQ(after({"One", ".", " Two", ".", " Three"}).settled, 5u);
}

TEST(ClassicBoundary, KeepsThePendingEndOfWhatWasNotConsumed) {
    classic_boundary_detector detector;
    detector.feed("Well, yes.");
    EXPECT_EQ(detector.end_sentence_after(5).pending, 5u);
    EXPECT_EQ(detector.feed(" No").settled, 5u);
}

TEST(ClassicBoundary, KeepsTheSettledEndOfWhatWasNotConsumed) {
    classic_boundary_detector detector;
    detector.feed("Well, yes.");
    detector.feed(" No");
    EXPECT_EQ(detector.end_sentence_after(0).settled, 10u);
    EXPECT_EQ(detector.end_sentence_after(5).settled, 5u);
    EXPECT_EQ(detector.end_sentence_after(5).settled, std::nullopt);
}

TEST(ClassicBoundary, ForgetsAMarkThatWasConsumed) {
    classic_boundary_detector detector;
    detector.feed("Yes.\" ");
    EXPECT_EQ(detector.end_sentence_after(4).pending, std::nullopt);
    EXPECT_EQ(detector.feed("\"").pending, std::nullopt);
}

TEST(ClassicBoundary, StartsAnewWhenAllIsConsumed) {
    classic_boundary_detector detector;
    detector.feed("Yes.");
    detector.end_sentence_after(4);
    EXPECT_EQ(detector.feed(" No").settled, std::nullopt);
    EXPECT_EQ(detector.feed(".").pending, 4u);
}

}  // namespace
}  // namespace tandem::text

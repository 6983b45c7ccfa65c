#include "text/chunks/break_points.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tandem::text {
namespace {

// A | in a case marks the break point. A case without | has no break point.

std::string without_bar(std::string_view divided) {
    std::string text(divided);
    const auto bar = text.find('|');
    if (bar != std::string::npos) text.erase(bar, 1);
    return text;
}

std::size_t place_of_bar(std::string_view divided) {
    const auto bar = divided.find('|');
    return bar == std::string_view::npos ? 0 : bar;
}

TEST(LastClauseEnd, IsBehindTheLastMarkAndItsQuotes) {
    const std::string_view cases[] = {
        "Well, yes,| I think so",
        "one;| two",
        "as follows:| first",
        "\"Well,\"| he said",
        "(so to say,)| it is",
        "no marks in here",
        "",
        ",| x",
        "\xE2\x80\x9CWell,\xE2\x80\x9D| he said",
        "Bonjour\xC2\xA0:| oui",
        "a line,|\nand one more",
        "\xD9\x86\xD8\xB9\xD9\x85\xD8\x8C| \xD9\x84\xD8\xA7",
    };
    for (const auto c : cases)
        EXPECT_EQ(find_last_clause_end(without_bar(c)), place_of_bar(c)) << c;
}

TEST(LastClauseEnd, NeedsWhiteSpaceBehindAMarkOfASpacedScript) {
    const std::string_view cases[] = {
        "1,000 people",  "at 10:30 sharp", "http://host", "one,| two,",
        "so,| in 1,000", "a:b and more",   "f(a,b)",
    };
    for (const auto c : cases)
        EXPECT_EQ(find_last_clause_end(without_bar(c)), place_of_bar(c)) << c;
}

TEST(LastClauseEnd, IsBehindADashThatIsNotInARange) {
    const std::string_view cases[] = {
        "wait\xE2\x80\x94|what",
        "wait \xE2\x80\x93| what",
        "10\xE2\x80\x93"
        "20",
        "1914\xE2\x80\x94"
        "1918 was",
        "10\xE2\x80\x93",
        "well-known",
        "\"No\xE2\x80\x94\"| he",
    };
    for (const auto c : cases)
        EXPECT_EQ(find_last_clause_end(without_bar(c)), place_of_bar(c)) << c;
}

TEST(LastClauseEnd, IsBehindAWideMarkWithoutASpace) {
    const std::string_view cases[] = {
        "你好，|我是", "一、二、|三", "好；|不好", "他说：|好", "「好，」|他说", "你好。|我",
        "你好，|",     "10：30",      "，|",       "10：",      "在10：30，|我",
    };
    for (const auto c : cases)
        EXPECT_EQ(find_last_clause_end(without_bar(c)), place_of_bar(c)) << c;
}

TEST(LastClauseEnd, ReadsBadBytesAsNoMark) {
    EXPECT_EQ(find_last_clause_end("one,\xFF\x80 two"), 0u);
    EXPECT_EQ(find_last_clause_end("\xEF\xBC"), 0u);
}

TEST(LastWordEnd, IsBeforeTheLastWhiteSpaceThatFollowsAWord) {
    const std::string_view cases[] = {
        "the| quick",
        "the quick| brown",
        "the|   quick",
        "the|\n\nquick",
        "one",
        " one",
        "",
        "  ",
        "\xC2\xA0 one",
        "the quick| ",
        "the quick|\n ",
        "10\xC2\xA0"
        "000",
        "costs| 10\xC2\xA0"
        "000",
        "\xE4\xB8\x80|\xE3\x80\x80\xE4\xBA\x8C",
    };
    for (const auto c : cases) EXPECT_EQ(find_last_word_end(without_bar(c)), place_of_bar(c)) << c;
}

}  // namespace
}  // namespace tandem::text

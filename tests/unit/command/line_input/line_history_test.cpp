#include "line_input/line_history.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tandem::command {
namespace {

std::string text_of(const std::string* line) {
    return line ? *line : "none";
}

TEST(a_line_history, goes_back_and_forth) {
    line_history h;
    h.add("one");
    h.add("two");
    EXPECT_EQ(text_of(h.later("new")), "none");
    EXPECT_EQ(text_of(h.earlier("new")), "two");
    EXPECT_EQ(text_of(h.earlier("two")), "one");
    EXPECT_EQ(text_of(h.earlier("one")), "none");
    EXPECT_EQ(text_of(h.later("one")), "two");
    EXPECT_EQ(text_of(h.later("two")), "new");
}

TEST(a_line_history, keeps_a_changed_line_until_one_is_entered) {
    line_history h;
    h.add("one");
    h.earlier("");
    h.later("one!");
    EXPECT_EQ(text_of(h.earlier("")), "one!");
    h.add("one!");
    h.earlier("");
    EXPECT_EQ(text_of(h.earlier("one!")), "one");
}

TEST(a_line_history, has_a_repeated_line_once_and_no_empty_one) {
    line_history h;
    for (const auto* line : {"one", "one", ""}) h.add(line);
    EXPECT_EQ(text_of(h.earlier("")), "one");
    EXPECT_EQ(text_of(h.earlier("one")), "none");
}

TEST(a_line_history, has_a_bound) {
    line_history h;
    for (std::size_t i = 0; i <= line_history::max_lines; ++i) h.add(std::to_string(i));
    std::string last;
    while (const auto* line = h.earlier(last)) last = *line;
    EXPECT_EQ(last, "1");
}

}  // namespace
}  // namespace tandem::command

#include "replay/junit_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace tandem::command;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(junit_text, has_a_case_for_each_checked_turn) {
    const std::vector<junit_case> cases{
        {"a", {.line = 1, .turn = 1, .total_ms = 1500}},
        {"b.1",
         {.line = 2,
          .turn = 2,
          .total_ms = 250,
          .broken = {{"text", "/noon/", "«One.»"}, {"chunks", "2", "1"}}}}};
    EXPECT_EQ(junit_text("d.jsonl", cases, 0), R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="1" errors="0" time="1.750">
  <testsuite name="tandem replay" tests="2" failures="1" errors="0" time="1.750">
    <testcase classname="d.jsonl" name="a" time="1.500"/>
    <testcase classname="d.jsonl" name="b.1" time="0.250">
      <failure message="text: expected /noon/, got «One.»">line 2, turn 2
text: expected /noon/, got «One.»
chunks: expected 2, got 1
</failure>
    </testcase>
  </testsuite>
</testsuites>
)");
}

TEST(junit_text, counts_turns_that_did_not_finish_as_an_error) {
    EXPECT_THAT(junit_text("d.jsonl", {}, 3),
                AllOf(HasSubstr(R"(tests="1" failures="0" errors="1")"),
                      HasSubstr("<error message=\"3 turns with expectations did not finish\"/>")));
}

TEST(junit_text, names_no_line_without_a_file) {
    const std::vector<junit_case> cases{{"a", {.turn = 2, .broken = {{"chunks", "2", "1"}}}}};
    EXPECT_THAT(junit_text("r.rec", cases, 0), HasSubstr("got 1\">turn 2\nchunks:"));
}

TEST(junit_text, escapes_names_and_texts) {
    const std::vector<junit_case> cases{
        {"<id>\x01", {.broken = {{"text", "/\"&/", "«\x1B]]>\xFF»"}}}}};
    const auto text = junit_text("a&b", cases, 0);
    EXPECT_THAT(text, AllOf(HasSubstr("a&amp;b"), HasSubstr("&lt;id&gt;"),
                            HasSubstr("/&quot;&amp;/"), HasSubstr("]]&gt;")));
    EXPECT_THAT(text,
                AllOf(Not(HasSubstr("\x01")), Not(HasSubstr("\x1B")), Not(HasSubstr("\xFF"))));
}

}  // namespace

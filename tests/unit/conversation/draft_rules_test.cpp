#include "conversation/history/draft_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::conversations {
namespace {

using ::testing::HasSubstr;

TEST(find_reason_to_skip_draft, finds_none_between_turns) {
    EXPECT_EQ(find_reason_to_skip_draft({.limit = 3}), std::nullopt);
    EXPECT_EQ(find_reason_to_skip_draft({.drafts = 2, .limit = 3}), std::nullopt);
}

TEST(find_reason_to_skip_draft, reports_what_is_in_the_way) {
    const struct {
        draft_request request;
        const char* words;
    } rows[] = {{{.is_replying = true, .limit = 3}, "a reply is running"},
                {{.is_raw = true, .limit = 3}, "raw"},
                {{.open_calls = 1, .limit = 3}, "functions"},
                {{.is_constrained = true, .limit = 3}, "one request"},
                {{.drafts = 3, .limit = 3}, "3 drafts (draft_limit)"},
                {{.limit = 0}, "draft_limit"}};
    for (const auto& row : rows)
        EXPECT_THAT(find_reason_to_skip_draft(row.request).value_or(""), HasSubstr(row.words));
}

}  // namespace
}  // namespace tandem::conversations

// Answers of the script that admits requests.

#include "gateway/cluster/cluster_limits.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tandem::gateway::read_verdict;

struct answer_row {
    const char* name;
    std::vector<std::int64_t> numbers;
    bool is_verdict;
};
class verdict_answer : public ::testing::TestWithParam<answer_row> {};

TEST_P(verdict_answer, is_one_if_it_is_four_counts) {
    tandem::cluster::store_answer a{.kind = tandem::cluster::answer_kind::list};
    for (const auto n : GetParam().numbers)
        a.items.push_back({.kind = tandem::cluster::answer_kind::integer, .number = n});
    EXPECT_EQ(read_verdict(a).has_value(), GetParam().is_verdict);
}

INSTANTIATE_TEST_SUITE_P(table, verdict_answer,
                         ::testing::Values(answer_row{"four", {1, 2, 3, 4}, true},
                                           answer_row{"three", {1, 2, 3}, false},
                                           answer_row{"negative", {1, -2, 3, 4}, false},
                                           answer_row{"none", {}, false}),
                         [](const auto& row) { return row.param.name; });

TEST(verdict, has_the_fields_of_the_answer) {
    using tandem::cluster::answer_kind;
    const tandem::cluster::store_answer a{.kind = answer_kind::list,
                                          .items = {{.kind = answer_kind::integer, .number = 1},
                                                    {.kind = answer_kind::integer, .number = 2000},
                                                    {.kind = answer_kind::integer, .number = 3000},
                                                    {.kind = answer_kind::integer, .number = 4}}};
    const auto v = read_verdict(a);
    ASSERT_TRUE(v);
    EXPECT_TRUE(v->is_admitted);
    EXPECT_EQ(v->requests_time_until_full, 2us);
    EXPECT_EQ(v->tokens_time_until_full, 3us);
    EXPECT_EQ(v->running_elsewhere, 4);
    EXPECT_EQ(read_verdict(std::nullopt), std::nullopt);
}

}  // namespace

#include "gateway/answers/random_ids.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using tandem::gateway::make_random_id;
using ::testing::Each;
using ::testing::MatchesRegex;

TEST(make_random_id, has_its_prefix_and_24_letters_and_digits) {
    std::mt19937_64 random(1);
    EXPECT_THAT(make_random_id("chatcmpl-", random), MatchesRegex("chatcmpl-[0-9A-Za-z]{24}"));
}

TEST(make_random_id, is_another_one_each_time) {
    std::mt19937_64 random(1);
    std::set<std::string> ids;
    for (int i = 0; i < 1000; ++i) ids.insert(make_random_id("", random));
    EXPECT_EQ(ids.size(), 1000u);
}

std::vector<std::string> ids_of_calls(std::size_t count, std::uint64_t seed) {
    std::vector<tandem::tool_call> calls(count);
    tandem::gateway::set_call_ids(calls, seed);
    std::vector<std::string> ids;
    for (const auto& call : calls) ids.push_back(call.id);
    return ids;
}

// Mistral's templates require this form.
TEST(set_call_ids, gives_each_call_nine_letters_and_digits) {
    for (const std::uint64_t seed : {0ull, 1ull, ~0ull})
        EXPECT_THAT(ids_of_calls(3, seed), Each(MatchesRegex("call[0-9A-Za-z]{5}")));
}

TEST(set_call_ids, gives_another_one_to_each_call_and_for_each_seed) {
    std::set<std::string> ids;
    for (std::uint64_t seed = 0; seed < 50; ++seed)
        for (auto& id : ids_of_calls(20, seed)) ids.insert(std::move(id));
    EXPECT_EQ(ids.size(), 1000u);
}

}  // namespace

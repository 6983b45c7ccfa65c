#include "gateway/answers/random_ids.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

namespace {

using tandem::gateway::call_id;
using tandem::gateway::make_random_id;
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

// Mistral's templates require this form.
TEST(call_id, has_nine_letters_and_digits) {
    for (const std::uint64_t seed : {0ull, 1ull, ~0ull})
        EXPECT_THAT(call_id(seed, 7), MatchesRegex("call[0-9A-Za-z]{5}"));
}

TEST(call_id, is_another_one_for_each_call_and_each_seed) {
    std::set<std::string> ids;
    for (std::uint64_t seed = 0; seed < 50; ++seed)
        for (std::uint64_t number = 0; number < 20; ++number) ids.insert(call_id(seed, number));
    EXPECT_EQ(ids.size(), 1000u);
}

TEST(call_id, is_the_same_for_the_same_call) {
    EXPECT_EQ(call_id(5, 2), call_id(5, 2));
}

}  // namespace

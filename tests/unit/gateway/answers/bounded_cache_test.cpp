#include "gateway/answers/bounded_cache.hpp"

#include "support/at.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using test::at;
using words_cache = bounded_cache<int, std::string>;

constexpr cache_limits small{.entries = 2, .bytes = 10, .ttl = 60s};

bool holds(words_cache& cache, int key, time_point now = at(0s)) {
    return cache.find(now, key) != nullptr;
}

TEST(bounded_cache, finds_what_was_put_in_and_nothing_else) {
    words_cache cache(small);
    cache.put(at(0s), 1, "one", 3);
    ASSERT_TRUE(holds(cache, 1));
    EXPECT_EQ(*cache.find(at(0s), 1), "one");
    EXPECT_FALSE(holds(cache, 2));
    EXPECT_EQ(cache.size_bytes(), 3u);
}

TEST(bounded_cache, forgets_a_value_at_the_end_of_its_time) {
    words_cache cache(small);
    cache.put(at(0s), 1, "one", 3);
    EXPECT_TRUE(holds(cache, 1, at(60s) - 1ns)) << "reading does not extend the lifetime";
    EXPECT_FALSE(holds(cache, 1, at(60s)));
    EXPECT_EQ(cache.size(), 0u);
    EXPECT_EQ(cache.size_bytes(), 0u);
}

TEST(bounded_cache, makes_room_with_what_was_not_asked_for_longest) {
    words_cache cache(small);
    cache.put(at(0s), 1, "one", 1);
    cache.put(at(0s), 2, "two", 1);
    holds(cache, 1);
    cache.put(at(0s), 3, "three", 1);
    EXPECT_TRUE(holds(cache, 1));
    EXPECT_FALSE(holds(cache, 2));
    EXPECT_TRUE(holds(cache, 3));
}

TEST(bounded_cache, makes_room_for_as_many_bytes_as_come) {
    words_cache cache({.entries = 9, .bytes = 10, .ttl = 60s});
    for (const int key : {1, 2, 3}) cache.put(at(0s), key, "three", 3);
    cache.put(at(0s), 4, "seven", 7);
    EXPECT_TRUE(holds(cache, 3));
    EXPECT_TRUE(holds(cache, 4));
    EXPECT_EQ(cache.size(), 2u);
    EXPECT_EQ(cache.size_bytes(), 10u) << "the size is at its limit";
}

TEST(bounded_cache, has_one_value_of_a_key) {
    words_cache cache(small);
    cache.put(at(0s), 1, "one", 3);
    cache.put(at(50s), 1, "another", 7);
    ASSERT_TRUE(holds(cache, 1, at(100s))) << "its lifetime starts again";
    EXPECT_EQ(*cache.find(at(100s), 1), "another");
    EXPECT_EQ(cache.size(), 1u);
    EXPECT_EQ(cache.size_bytes(), 7u);
}

TEST(bounded_cache, takes_nothing_that_is_over_its_bounds) {
    words_cache cache(small);
    cache.put(at(0s), 1, "one", 3);
    cache.put(at(0s), 2, "eleven", 11);
    EXPECT_FALSE(holds(cache, 2));
    EXPECT_TRUE(holds(cache, 1)) << "nothing is dropped for a value that does not fit";
    cache.put(at(0s), 1, "eleven", 11);
    EXPECT_FALSE(holds(cache, 1)) << "the previous value is outdated";
    words_cache none({.entries = 0, .bytes = 10, .ttl = 60s});
    none.put(at(0s), 1, "one", 3);
    EXPECT_FALSE(holds(none, 1));
}

}  // namespace
}  // namespace tandem::gateway

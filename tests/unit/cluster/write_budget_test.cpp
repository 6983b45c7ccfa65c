#include "cluster/write_budget.hpp"

#include "support/at.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace {

using namespace std::chrono_literals;
using tandem::cluster::write_budget;
using tandem::test::at;

TEST(write_budget, permits_no_long_text) {
    write_budget b;
    EXPECT_TRUE(b.spend_if_room(at(1h), write_budget::max_bytes));
    EXPECT_FALSE(b.spend_if_room(at(1h), write_budget::max_bytes + 1));
}

TEST(write_budget, is_used_up_until_the_next_minute) {
    write_budget b;
    constexpr auto texts = write_budget::max_bytes_per_minute / write_budget::max_bytes;
    for (std::size_t i = 0; i < texts; ++i)
        EXPECT_TRUE(b.spend_if_room(at(1h), write_budget::max_bytes));
    EXPECT_FALSE(b.spend_if_room(at(1h + 59s), 1));
    EXPECT_TRUE(b.spend_if_room(at(1h + 60s), write_budget::max_bytes));
}

}  // namespace

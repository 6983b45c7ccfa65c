#include "reply/consumer_wait.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

namespace {

using tandem::detail::wait_cancellation;
using consumers_wait = tandem::detail::consumer_wait<std::function<void()>>;

const auto do_nothing = [] {};

TEST(a_consumers_wait, is_cancelled_while_it_is_outstanding) {
    const auto cancellation = std::make_shared<wait_cancellation>();
    consumers_wait wait;
    wait.begin(cancellation, do_nothing);
    EXPECT_TRUE(wait.cancel(cancellation));
}

TEST(a_consumers_wait, is_not_cancelled_once_it_was_completed) {
    const auto cancellation = std::make_shared<wait_cancellation>();
    consumers_wait wait;
    wait.begin(cancellation, do_nothing);
    wait.take_handler()();
    EXPECT_FALSE(wait.cancel(cancellation));
}

TEST(a_consumers_wait, is_not_ended_by_the_cancellation_of_an_earlier_one) {
    const auto earlier = std::make_shared<wait_cancellation>();
    consumers_wait wait;
    wait.begin(earlier, do_nothing);
    wait.take_handler()();
    wait.begin(nullptr, do_nothing);
    EXPECT_FALSE(wait.cancel(earlier));
    EXPECT_TRUE(wait);
}

TEST(a_consumers_wait, knows_each_cancellation_that_overtakes_it) {
    const auto first = std::make_shared<wait_cancellation>();
    const auto second = std::make_shared<wait_cancellation>();
    consumers_wait wait;
    EXPECT_FALSE(wait.cancel(first));
    EXPECT_FALSE(wait.cancel(second));
    EXPECT_TRUE(first->was_requested);
    EXPECT_TRUE(second->was_requested);
}

}  // namespace

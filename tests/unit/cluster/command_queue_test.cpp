#include "cluster/store/command_queue.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace std::chrono_literals;
using namespace tandem;
using namespace tandem::cluster;

class command_queue_at_work : public testing::Test {
 protected:
    void push(duration limit, std::string name) {
        queue.push(now, limit, [this, name](const auto&) { called += name; });
    }
    void call(const std::vector<store_answer_handler>& handlers) {
        for (const auto& h : handlers) h(std::nullopt);
    }

    command_queue queue;
    time_point now{1h};
    std::string called;
};

TEST_F(command_queue_at_work, answers_commands_in_their_order) {
    push(1s, "a");
    push(1s, "b");
    (*queue.pop())({});
    (*queue.pop())({});
    EXPECT_EQ(called, "ab");
    EXPECT_FALSE(queue.pop());
}

TEST_F(command_queue_at_work, gives_up_each_command_at_its_limit) {
    push(500ms, "a");
    push(20ms, "b");
    EXPECT_EQ(queue.next_limit(), now + 20ms);
    now += 20ms;
    call(queue.take_overdue(now).handlers);
    EXPECT_EQ(called, "b");
    EXPECT_EQ(queue.next_limit(), now + 480ms);
}

TEST_F(command_queue_at_work, drops_a_late_answer) {
    push(20ms, "a");
    push(1s, "b");
    now += 20ms;
    EXPECT_EQ(queue.take_overdue(now).handlers.size(), 1u);
    EXPECT_FALSE(*queue.pop());
    (*queue.pop())({});
    EXPECT_EQ(called, "b");
}

TEST_F(command_queue_at_work, ends_the_connection_when_an_answer_stays_out) {
    push(20ms, "a");
    now += 999ms;
    EXPECT_FALSE(queue.take_overdue(now).is_stuck);
    EXPECT_EQ(queue.next_limit(), now + 1ms);
    now += 1ms;
    EXPECT_TRUE(queue.take_overdue(now).is_stuck);
}

TEST_F(command_queue_at_work, starts_again_with_a_connection) {
    push(20ms, "a");
    push(1s, "b");
    now += 20ms;
    EXPECT_EQ(queue.take_overdue(now).handlers.size(), 1u);
    call(queue.reset());
    EXPECT_EQ(called, "b");
    EXPECT_EQ(queue.next_limit(), never);
}

TEST_F(command_queue_at_work, is_bounded) {
    for (std::size_t i = 0; i < command_queue::max_commands; ++i) push(1s, "a");
    EXPECT_TRUE(queue.is_full());
    queue.pop();
    EXPECT_FALSE(queue.is_full());
}

}  // namespace

#include "channel/channel_core.hpp"

#include <gtest/gtest.h>

#include <string>

// What consumers receive from a channel that has ended. No reply runs.
namespace {

using tandem::chunk;
using tandem::errc;
using tandem::finish_reason;
using tandem::pace;
using tandem::time_point;
using tandem::detail::channel_core;

class ended_channel : public ::testing::Test {
 protected:
    void take(std::uint32_t seq, std::string text) {
        core.deliver(chunk{.id = {7, seq}, .text = std::move(text), .tokens = 5});
    }
    auto pop() { return core.pop(time_point()); }

    channel_core core{{.pace = pace::text}};
};

TEST_F(ended_channel, gives_what_was_there_before) {
    take(0, "One. ");
    core.on_end({.finish_reason = finish_reason::eos}, std::nullopt);
    EXPECT_EQ(pop().value().text, "One. ");
    EXPECT_TRUE(pop().value().finished);
}

TEST_F(ended_channel, gives_only_its_end_once_it_is_cancelled) {
    take(0, "One. ");
    take(1, "Two. ");
    core.on_end({.finish_reason = finish_reason::eos}, std::nullopt);
    EXPECT_EQ(pop().value().text, "One. ");
    core.cancel();
    const auto item = pop();
    ASSERT_TRUE(item);
    EXPECT_TRUE(item->finished) << item->text;
    EXPECT_EQ(item->finish_reason, finish_reason::eos);
    EXPECT_FALSE(core.is_cancelled());
}

// If the loop of a reply stops and then runs again, the reply calls on_end() a second time.
TEST_F(ended_channel, keeps_its_items_if_the_reply_is_interrupted_later) {
    take(0, "One. ");
    core.on_end({.error = errc::context_stopped}, std::nullopt);
    core.on_end({.finish_reason = finish_reason::interrupted}, std::nullopt);
    EXPECT_EQ(pop().value().text, "One. ");
    EXPECT_EQ(pop().value().error, errc::context_stopped);
}

}  // namespace

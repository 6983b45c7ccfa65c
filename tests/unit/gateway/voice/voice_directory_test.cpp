#include "gateway/voice/voice_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;

class the_voice_directory : public ::testing::Test {
 protected:
    the_voice_directory() : directory(limits(), [this] { return fresh(); }) {}

    static voice_limits limits() {
        return {.session_kept = 10s, .sessions_per_key = 1, .sessions = 3};
    }
    voice_sessions::random_bits fresh() {
        voice_sessions::random_bits bits{};
        bits[0] = ++count_;
        return bits;
    }
    voice_directory::opened_session opened(const char* owner, std::size_t loop) {
        return std::get<voice_directory::opened_session>(directory.open(owner, loop));
    }

    const time_point start{};
    voice_directory directory;

 private:
    std::uint8_t count_ = 0;
};

TEST_F(the_voice_directory, knows_the_loop_of_each_session) {
    const auto one = opened("a", 2);
    const auto two = opened("b", 0);
    EXPECT_EQ(directory.loop_of(one.id), 2u);
    EXPECT_EQ(directory.loop_of(two.id), 0u);
    EXPECT_EQ(directory.loop_of("another"), std::nullopt);
    EXPECT_EQ(directory.size(), 2u);
}

TEST_F(the_voice_directory, tells_where_the_session_is_that_makes_room) {
    const auto old = opened("a", 1);
    directory.keep(start, old.id);
    const auto fresh = opened("a", 0);
    ASSERT_TRUE(fresh.dropped);
    EXPECT_EQ(fresh.dropped->id, old.id);
    EXPECT_EQ(fresh.dropped->loop, 1u);
    EXPECT_EQ(directory.loop_of(old.id), std::nullopt);
    EXPECT_TRUE(directory.take_up("a", old.id));
}

TEST_F(the_voice_directory, lets_a_session_be_taken_up_by_its_key_alone) {
    const auto one = opened("a", 1);
    EXPECT_FALSE(directory.take_up("a", one.id));
    EXPECT_EQ(directory.take_up("b", one.id)->code, "session_not_found");
}

TEST_F(the_voice_directory, loses_what_was_left_alone_too_long) {
    const auto one = opened("a", 1);
    directory.keep(start, one.id);
    EXPECT_EQ(directory.next_expiry(), start + 10s);
    const auto over = directory.take_expired(start + 10s);
    ASSERT_EQ(over.size(), 1u);
    EXPECT_EQ(over[0].loop, 1u);
    EXPECT_EQ(directory.size(), 0u);
}

TEST_F(the_voice_directory, forgets_what_is_over) {
    const auto one = opened("a", 1);
    directory.forget(one.id);
    directory.forget(one.id);
    EXPECT_EQ(directory.loop_of(one.id), std::nullopt);
    EXPECT_EQ(directory.size(), 0u);
}

}  // namespace
}  // namespace tandem::gateway

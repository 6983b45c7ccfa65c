#include "gateway/voice/voice_message_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

// Values that no field accepts.
namespace tandem::gateway {
namespace {

TEST(voice_values, are_refused_with_what_was_sent) {
    const struct {
        const char *message, *why;
    } rows[] = {
        {R"({"type":"start","options":{"pacing":"fast"}})",
         R"(options.pacing is "fast"; it must be one of )"},
        {R"({"type":"start","options":{"max_tokens":1.5}})",
         "options.max_tokens is 1.5; it must be a whole number"},
        {R"({"type":"heard","chunk":"1-0","chars":-1})",
         "chars is -1; it must be a whole number of at least 0"},
        {R"({"type":"heard","chunk":"1-0","chars":"x"})",
         "chars is of type string, but must be a whole number of at least 0"},
        {R"({"type":"heard","chunk":"1-0","share":2})", "share is 2; it must be 0 to 1"},
    };
    for (const auto& row : rows) {
        const auto message = parse_voice_message(row.message);
        const auto* const why = std::get_if<voice_message_error>(&message);
        ASSERT_TRUE(why) << row.message;
        EXPECT_THAT(why->message, ::testing::StartsWith(row.why));
    }
}

TEST(voice_values, that_are_long_are_not_repeated) {
    const auto message = parse_voice_message(R"({"type":"start","options":{"pacing":")" +
                                             std::string(1000, 'x') + R"("}})");
    EXPECT_THAT(
        std::get<voice_message_error>(message).message,
        ::testing::StartsWith("options.pacing is a text of 1000 bytes; it must be one of "));
}

}  // namespace
}  // namespace tandem::gateway

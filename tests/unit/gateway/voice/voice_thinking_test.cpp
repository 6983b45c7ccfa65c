#include "gateway/voice/voice_message_reader.hpp"
#include "gateway/voice/voice_option_changes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>

// Whether the model thinks in the turns of a voice session.
namespace tandem::gateway {
namespace {

const std::string off = R"({"chat_template_kwargs":{"enable_thinking":false}})";
const std::string on = R"({"chat_template_kwargs":{"enable_thinking":true}})";

/// The options that result from `base` and a start message with `options`.
generation_options started(generation_options base, const std::string& options) {
    const auto read =
        parse_voice_message(R"({"type":"start","text":"Hi","options":)" + options + "}");
    return apply_changes(std::move(base),
                         std::get<voice::start>(std::get<voice_message>(read)).options);
}

/// The template options of a turn, if both the session and the turn have options.
std::string template_options_of(const std::string& session, const std::string& turn) {
    return without_thinking(started(started({}, session), turn)).template_options;
}

TEST(voice_thinking, is_off_unless_the_session_or_the_turn_says_otherwise) {
    EXPECT_EQ(template_options_of("{}", "{}"), off);
    EXPECT_EQ(template_options_of(on, "{}"), on);
    EXPECT_EQ(template_options_of("{}", on), on);
    EXPECT_EQ(template_options_of(on, off), off);
    EXPECT_EQ(template_options_of(R"({"chat_template_kwargs":{"tone":"kind"}})", "{}"),
              R"({"chat_template_kwargs":{"tone":"kind","enable_thinking":false}})");
    for (const auto* effort : {R"({"reasoning_effort":"low"})", R"({"reasoning_effort":"none"})"})
        EXPECT_EQ(template_options_of("{}", effort), effort);
}

TEST(voice_thinking, is_as_the_template_has_it_under_a_limit) {
    for (const auto* limit :
         {R"({"reasoning_limit_ms":900})", R"({"reasoning_limit_tokens":90})"}) {
        EXPECT_EQ(template_options_of(limit, "{}"), "");
        EXPECT_EQ(template_options_of("{}", limit), "");
    }
    EXPECT_EQ(template_options_of(R"({"reasoning_limit_ms":0})", "{}"), off);
}

TEST(voice_thinking, is_known_to_be_off) {
    EXPECT_TRUE(has_thinking_off(without_thinking({})));
    EXPECT_FALSE(has_thinking_off({.template_options = on}));
}

}  // namespace
}  // namespace tandem::gateway

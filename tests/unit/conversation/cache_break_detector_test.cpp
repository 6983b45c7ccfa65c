#include "conversation/history/cache_break_detector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace tandem::conversations {
namespace {

using ::testing::HasSubstr;
using cause = cache_break::cause;

/// A conversation with one answered turn. turn() makes the prompt of the next turn.
class a_watched_turn : public ::testing::Test {
 protected:
    a_watched_turn() {
        watch_.record_turn(turn(system, {}), {});
        watch_.record_prompt_tokens(50);
    }

    std::string prompt(const std::string& system_prompt) const {
        return "<system>" + system_prompt + "<user>" + question + "<assistant>";
    }
    turn_prompt turn(const std::string& system_prompt, const generation_options& options,
                     int trims = 0) {
        text_ = prompt(system_prompt) + tail_;
        messages_ = {{.role = "system", .content = system_prompt},
                     {.role = "user", .content = question}};
        return {.prompt = text_, .messages = messages_, .options = options, .trims = trims};
    }
    static inline const std::string system =
        "You are the voice of the Blue Heron, a restaurant by the lake. It is 18:30 now.";
    static inline const std::string question =
        "Are you open tonight, and until when is that? We are four, and would come by boat.";
    cache_break_detector watch_;
    std::string tail_;
    std::string text_;
    std::vector<chat_message> messages_;
    const generation_options none_{};
};

TEST_F(a_watched_turn, that_continues_the_text_breaks_nothing) {
    tail_ = "It is open until ten.<user>Thanks!<assistant>";
    EXPECT_EQ(watch_.find_break(turn(system, none_)), std::nullopt);
}

TEST_F(a_watched_turn, whose_answer_was_interrupted_breaks_nothing) {
    tail_ = "It is<user>Thanks!<assistant>";
    EXPECT_EQ(watch_.find_break(turn(system, none_)), std::nullopt);
}

TEST_F(a_watched_turn, on_another_server_breaks_nothing) {
    watch_.forget_prompt();
    EXPECT_EQ(watch_.find_break(turn("You are a parrot.", none_)), std::nullopt);
}

TEST_F(a_watched_turn, with_a_clock_in_the_system_prompt_says_so) {
    const auto later =
        "You are the voice of the Blue Heron, a restaurant by the lake. It is 18:31 now.";
    const auto b = watch_.find_break(turn(later, none_));
    ASSERT_TRUE(b);
    EXPECT_EQ(b->why, cause::system_prompt);
    EXPECT_EQ(b->of, 50);
    EXPECT_THAT(b->text, HasSubstr("It is 18:31 now."));
    EXPECT_LE(b->text.size(), 64u);
}

TEST_F(a_watched_turn, with_a_system_prompt_that_has_the_words_of_the_user_says_so) {
    const auto later = "If they ask: " + question + " say yes. It is 18:31 now, on a Saturday.";
    EXPECT_EQ(watch_.find_break(turn(later, none_))->why, cause::system_prompt);
}

TEST_F(a_watched_turn, after_one_with_a_context_breaks_nothing) {
    const generation_options with_context{
        .context = "It is half past six, and the kitchen closes at ten. Today, there is fish."};
    tail_ = with_context.context + "\n\n" + question + "<assistant>";
    watch_.record_turn(turn(system, with_context), {});
    tail_ = question + "<assistant>It is open until ten.<user>Thanks!<assistant>";
    EXPECT_EQ(watch_.find_break(turn(system, none_)), std::nullopt);
}

TEST_F(a_watched_turn, with_other_tools_says_so) {
    const generation_options options{.tools = "[]"};
    EXPECT_EQ(watch_.find_break(turn("Tools: none. " + system, options))->why, cause::tools);
}

TEST_F(a_watched_turn, after_a_trim_says_so) {
    EXPECT_EQ(watch_.find_break(turn("Shorter.", none_, 1))->why, cause::trimmed);
}

TEST_F(a_watched_turn, with_another_message_says_so) {
    text_ = "<system>" + system + "<user>Hello!<assistant>";
    messages_ = {{.role = "system", .content = system}, {.role = "user", .content = "Hello!"}};
    const turn_prompt other{.prompt = text_, .messages = messages_, .options = none_};
    EXPECT_EQ(watch_.find_break(other)->why, cause::history);
}

TEST_F(a_watched_turn, is_counted_if_its_system_prompt_changed) {
    const auto t = turn("You are a parrot.", none_);
    const auto b = watch_.find_break(t);
    watch_.record_turn(t, b);
    EXPECT_EQ(watch_.changed_system_prompts(), 1);
}

TEST_F(a_watched_turn, shows_whole_characters) {
    std::string umlauts;
    for (int i = 0; i < 60; ++i) umlauts += "\u00e4";
    const auto b = watch_.find_break(turn(umlauts, none_));
    ASSERT_TRUE(b);
    EXPECT_EQ(b->text.back(), '\xa4');
}

}  // namespace
}  // namespace tandem::conversations

#include "gateway/sessions/voice_audit_prompts.hpp"

#include "gateway/telemetry/audit_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace {

using tandem::gateway::voice_audit_prompts;
using tandem::gateway::voice_turn;
using testing::Lt;
using testing::Optional;
using testing::SizeIs;

voice_turn turn_of(std::uint64_t number, const std::string& words) {
    voice_turn t;
    t.number = number;
    t.messages.push_back({.role = "user", .content = words});
    return t;
}

TEST(prompts_of_a_session, are_what_was_said_since_the_reply_before) {
    voice_audit_prompts p;
    p.record_turn(turn_of(2, "Two"));
    p.record_turn(turn_of(1, "One"));
    p.record_turn(turn_of(3, "Three"));
    p.begin_reply(2);
    EXPECT_THAT(p.take_prompt(false), Optional(std::string("One\nTwo")));
    p.begin_reply(3);
    EXPECT_THAT(p.take_prompt(false), Optional(std::string("Three")));
}

TEST(prompts_of_a_session, have_results_before_the_words_that_interrupted_their_reply) {
    voice_audit_prompts p;
    p.record_turn(turn_of(2, "Two"));
    for (const auto* result : {"noon", "four seats"})
        p.record_turn({.number = 3, .results = {{.id = "a", .content = result}}});
    p.begin_reply(2);
    EXPECT_THAT(p.take_prompt(false), Optional(std::string("noon\nfour seats\nTwo")));
}

TEST(prompts_of_a_session, are_none_if_nothing_was_said) {
    voice_audit_prompts p;
    p.begin_reply(1);
    EXPECT_FALSE(p.take_prompt(false));
}

TEST(prompts_of_a_session, have_the_words_of_a_draft_that_was_used) {
    voice_audit_prompts p;
    p.record_draft(turn_of(0, "A table!"));
    p.record_turn(turn_of(1, "a table"));
    p.begin_reply(1);
    EXPECT_THAT(p.take_prompt(true), Optional(std::string("a table\nA table!")));
    p.record_turn(turn_of(2, "a table"));
    p.begin_reply(2);
    EXPECT_THAT(p.take_prompt(false), Optional(std::string("a table")));
}

TEST(prompts_of_a_session, are_bounded_while_the_client_only_appends) {
    voice_audit_prompts p;
    const auto long_text = std::string(tandem::gateway::max_audit_prompt_bytes / 2, 'x');
    for (std::uint64_t i = 1; i <= 1000; ++i) p.record_turn(turn_of(i, long_text));
    p.begin_reply(1000);
    EXPECT_THAT(p.take_prompt(false),
                Optional(SizeIs(Lt(2 * tandem::gateway::max_audit_prompt_bytes))));
}

}  // namespace

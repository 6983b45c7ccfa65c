// Drafts of a session.

#include "voice_session_driver.hpp"

#include <gmock/gmock.h>

namespace tandem::gateway {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr voice_socket drafting_socket = 1;
constexpr auto table_draft = R"({"type":"draft","turn":"t2","text":"A table"})";

class a_session_with_drafts : public ::testing::Test {
 protected:
    a_session_with_drafts() {
        s.attach(drafting_socket,
                 R"({"type":"start","messages":[{"role":"system","content":"Be brief."}]})");
        s.asked();
        s.sent(drafting_socket);
    }
    void draft_table() {
        s.say(drafting_socket, table_draft);
        EXPECT_THAT(s.asked(), ElementsAre("draft A table"));
    }

    voice_session_driver s;
};

TEST_F(a_session_with_drafts, checks_the_words_of_the_commit_before_it_replies) {
    draft_table();
    s.permits = false;
    s.say(drafting_socket, R"({"type":"commit","turn":"t2","text":"a table."})");
    EXPECT_THAT(s.asked(), ElementsAre("check 2"));
    s.permit(2);
    EXPECT_THAT(s.asked(), ElementsAre("append a table.", "generate 2", "next 2"));
}

TEST_F(a_session_with_drafts, drops_the_draft_of_refused_words) {
    draft_table();
    s.permits = false;
    s.say(drafting_socket, R"({"type":"commit","text":"A table"})");
    s.refuse(2);
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "drop draft"));
    EXPECT_THAT(s.heard_by(drafting_socket), ElementsAre("error policy 2"));
}

TEST_F(a_session_with_drafts, keeps_only_a_draft_of_exactly_this_text_if_the_client_wants_it) {
    draft_table();
    s.say(drafting_socket, R"({"type":"commit","text":"a table","match":"exact"})");
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "drop draft unless a table", "append a table",
                                       "generate 2", "next 2"));
}

TEST(a_session_with_a_schema, drops_nothing_for_a_commit_that_it_rejects) {
    voice_session_driver s;
    s.attach(drafting_socket, R"({"type":"start","options":{"json_schema":{}},"messages":[
                                  {"role":"system","content":"Be brief."}]})");
    s.asked();
    s.say(drafting_socket,
          R"({"type":"commit","text":"a table","match":"exact","options":{"grammar":"a"}})");
    EXPECT_THAT(s.asked(), IsEmpty());
    EXPECT_THAT(s.heard_by(drafting_socket), Contains("error invalid_value"));
}

TEST_F(a_session_with_drafts, drops_the_draft_when_the_user_continues) {
    draft_table();
    s.say(drafting_socket, R"({"type":"drop"})");
    EXPECT_THAT(s.asked(), ElementsAre("drop draft"));
}

TEST_F(a_session_with_drafts, replies_to_a_commit_without_a_draft) {
    s.say(drafting_socket, R"({"type":"commit","text":"A table"})");
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "append A table", "generate 2", "next 2"));
}

TEST_F(a_session_with_drafts, reports_why_there_is_no_draft) {
    s.turns.on_draft_skipped("t2", "no slot is idle");
    s.wait(duration{});
    const auto sent = s.sent(drafting_socket);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0]["type"], "draft_skipped");
    EXPECT_EQ(sent[0]["turn"], "t2");
    EXPECT_EQ(sent[0]["reason"], "no slot is idle");
}

TEST_F(a_session_with_drafts, skips_drafts_while_a_reply_runs) {
    s.say(drafting_socket, hello);
    s.asked();
    s.say(drafting_socket, table_draft);
    EXPECT_THAT(s.asked(), IsEmpty());
    EXPECT_THAT(s.heard_by(drafting_socket), ElementsAre("draft_skipped"));
}

TEST(a_session_without_messages, skips_drafts) {
    voice_session_driver s;
    s.attach(drafting_socket);
    s.say(drafting_socket, table_draft);
    EXPECT_THAT(s.asked(), IsEmpty());
    EXPECT_THAT(s.heard_by(drafting_socket), ElementsAre("ready", "draft_skipped"));
}

}  // namespace
}  // namespace tandem::gateway

// Replies that are drafted over the voice WebSocket before it is certain that the user has
// finished.

#include "gateway/voice_fixture.hpp"
#include "support/poll_until.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string for_four = "A table for four?";
const std::string for_five = "A table for five?";

class voice_draft_gateway : public voice_gateway {
 protected:
    voice_draft_gateway() {
        answers_with(for_four, "Yes, we do. By the window.");
        answers_with(for_five, "No, we do not. I am sorry.");
    }

    /// Starts a session with a system message, and waits until the message is prefilled.
    void begin(voice_client& c) {
        json m = {{"type", "start"}};
        m["messages"] = json::array({{{"role", "system"}, {"content", "Be brief."}}});
        c.say(m);
        session = c.read("ready")["session"];
        EXPECT_TRUE(poll_until([&] { return !requests().empty(); }));
        EXPECT_TRUE(server_gets_idle());
    }
    /// The server stalls the draft for five until the gateway cuts it, which happens after the
    /// first chunk. So the gateway has read this chunk when the server is idle.
    void stall_draft_for_five() {
        server_options.faults = {
            {.kind = mock::fault_kind::stall, .at_token = 8, .times = 0, .when = [](const auto& r) {
                 return r.prompt.find(for_five) != std::string::npos;
             }}};
    }
    static json draft_of(const std::string& text) {
        return {{"type", "draft"}, {"turn", "t1"}, {"text", text}};
    }
    static json commit_of(const std::string& text) {
        return {{"type", "commit"}, {"turn", "t1"}, {"text", text}};
    }
    std::vector<mock::request_record> requests() {
        return mock_server->observe().of_path("/completion");
    }
    /// Waits until the server has generated the first chunk, and returns the number of requests so
    /// far.
    std::size_t draft(voice_client& c, const std::string& text) {
        const auto before = requests().size();
        c.say(draft_of(text));
        EXPECT_TRUE(poll_until([&] { return requests().size() > before; }));
        EXPECT_TRUE(server_gets_idle());
        return requests().size();
    }
    std::string history_of_next_turn(voice_client& c) {
        c.say(start_of("And you?"));
        listen(c);
        return requests().back().prompt;
    }

    std::string session;
};

TEST_F(voice_draft_gateway, has_the_first_chunk_at_the_commit_without_another_request) {
    options.service.client.pacing.mode = pacing::strict;
    start();
    auto c = voice();
    begin(c);
    const auto sent = draft(c, for_four);
    auto commit = commit_of("a table for four");
    commit["timeline"] = true;
    c.say(commit);
    const auto first = c.read();
    EXPECT_EQ(first["speech"], "Yes, we do.") << first;
    EXPECT_EQ(first["turn"], "t1");
    EXPECT_EQ(requests().size(), sent);
    c.say(spoken(first));
    const auto end = listen(c);
    EXPECT_EQ(end["text"], "Yes, we do. By the window.");
    EXPECT_GT(end["usage"]["drafted"], 0);
    EXPECT_EQ(end["usage"]["draft_wasted"], 0);
    EXPECT_THAT(history_of_next_turn(c), HasSubstr(for_four));
}

TEST_F(voice_draft_gateway, replies_to_a_commit_of_other_words) {
    stall_draft_for_five();
    start();
    auto c = voice();
    begin(c);
    draft(c, for_five);
    c.say(commit_of(for_four));
    const auto end = listen(c);
    EXPECT_EQ(end["text"], "Yes, we do. By the window.");
    EXPECT_EQ(end["usage"]["drafted"], 0);
    EXPECT_GT(end["usage"]["draft_wasted"], 0);
    EXPECT_THAT(history_of_next_turn(c), Not(HasSubstr("five")));
}

TEST_F(voice_draft_gateway, sends_nothing_of_a_draft_that_was_dropped) {
    stall_draft_for_five();
    start();
    auto c = voice();
    begin(c);
    draft(c, for_five);
    c.say({{"type", "drop"}});
    c.say({{"type", "hearing"}, {"text", "A table for five or"}});
    c.say({{"type", "drop"}});
    c.say(start_of("And you?"));
    const auto first = c.read();
    EXPECT_EQ(first["speech"], "Fine.") << first;
    c.say(spoken(first));
    const auto end = listen(c);
    EXPECT_GT(end["usage"]["draft_wasted"], 0);
    EXPECT_THAT(requests().back().prompt, Not(HasSubstr("five")));
}

TEST_F(voice_draft_gateway, skips_a_draft_while_a_reply_runs_and_continues_with_the_reply) {
    start();
    auto c = voice();
    begin(c);
    c.say(start_of("Hello!"));
    const auto first = c.read("chunk");
    c.say(draft_of(for_four));
    const auto skipped = c.read("draft_skipped");
    EXPECT_EQ(skipped["turn"], "t1") << skipped;
    EXPECT_THAT(skipped["reason"].get<std::string>(), HasSubstr("reply"));
    c.say(spoken(first));
    EXPECT_EQ(listen(c)["text"], story);
    c.say(commit_of(for_four));
    EXPECT_EQ(listen(c)["text"], "Yes, we do. By the window.");
}

TEST_F(voice_draft_gateway, skips_a_draft_before_the_conversation_has_messages) {
    start();
    auto c = voice();
    c.say({{"type", "start"}});
    c.say(draft_of(for_four));
    EXPECT_THAT(c.read("draft_skipped")["reason"].get<std::string>(), HasSubstr("no messages"));
    EXPECT_TRUE(requests().empty());
}

TEST_F(voice_draft_gateway, replies_once_to_each_of_two_commits) {
    start();
    auto c = voice();
    begin(c);
    draft(c, for_four);
    c.say(commit_of(for_four));
    c.say(spoken(c.read("chunk")));
    EXPECT_EQ(c.read("chunk")["speech"], "By the window.");
    auto again = commit_of("And you?");
    again["turn"] = "t2";
    c.say(again);
    EXPECT_EQ(c.read("end")["finish_reason"], "interrupted");
    EXPECT_EQ(listen(c)["text"], "Fine. Thanks. And well rested.");
}

TEST_F(voice_draft_gateway, keeps_the_draft_of_a_client_that_returns) {
    start();
    {
        auto gone = voice();
        begin(gone);
        draft(gone, for_four);
        gone.drop();
    }
    auto c = voice();
    c.say({{"type", "start"}, {"session", session}});
    EXPECT_EQ(c.read("ready")["resumed"], true);
    c.say(commit_of(for_four));
    const auto first = c.read();
    EXPECT_EQ(first["speech"], "Yes, we do.") << first;
    c.say(spoken(first));
    const auto end = listen(c);
    EXPECT_GT(end["usage"]["drafted"], 0);
}

TEST_F(voice_draft_gateway, keeps_nothing_of_a_draft_whose_client_does_not_commit) {
    start();
    {
        auto gone = voice();
        begin(gone);
        draft(gone, for_five);
        gone.drop();
    }
    auto c = voice();
    c.say({{"type", "start"}, {"session", session}, {"text", "And you?"}});
    EXPECT_EQ(c.read("ready")["resumed"], true);
    const auto end = listen(c);
    EXPECT_EQ(end["text"], "Fine. Thanks. And well rested.");
    EXPECT_THAT(requests().back().prompt, Not(HasSubstr("five")));
}

TEST_F(voice_draft_gateway, refuses_the_words_of_a_commit_before_it_sends_a_chunk) {
    options.prompts.denied = {"secret sauce"};
    start();
    auto c = voice();
    begin(c);
    draft(c, for_four);
    c.say(commit_of("Secret sauce for four?"));
    EXPECT_EQ(c.read()["code"], "content_policy");
    EXPECT_THAT(history_of_next_turn(c), AllOf(Not(HasSubstr("sauce")), Not(HasSubstr("table"))));
}

TEST_F(voice_draft_gateway, drafts_no_words_that_its_policy_refuses) {
    options.prompts.denied = {"secret sauce"};
    start();
    auto c = voice();
    begin(c);
    const auto sent = requests().size();
    c.say(draft_of("Secret sauce?"));
    EXPECT_NE(c.read("draft_skipped")["reason"], "");
    EXPECT_EQ(requests().size(), sent);
    ASSERT_TRUE(poll_until([&] { return !audited().empty(); }));
    EXPECT_EQ(json::parse(audited().front())["error"], "content_policy");
}

TEST_F(voice_draft_gateway, audits_the_words_of_the_draft_as_well_as_those_of_the_commit) {
    options.audit_prompts = true;
    start();
    auto c = voice();
    begin(c);
    draft(c, for_four);
    c.say(commit_of("a table, for four"));
    listen(c);
    ASSERT_TRUE(poll_until([&] { return !audited().empty(); }));
    EXPECT_THAT(json::parse(audited().front())["prompt"].get<std::string>(),
                AllOf(HasSubstr(for_four), HasSubstr("a table, for four")));
}

TEST_F(voice_draft_gateway, keeps_a_committed_draft_that_is_dropped_too_late) {
    server_options.tokens_per_second = 30;
    start();
    auto c = voice();
    begin(c);
    const auto before = requests().size();
    c.say(draft_of(for_four));
    ASSERT_TRUE(poll_until([&] { return requests().size() > before; }));
    c.say(commit_of(for_four));
    c.say({{"type", "drop"}});
    const auto end = listen(c);
    EXPECT_EQ(end["text"], "Yes, we do. By the window.") << end;
    EXPECT_GT(end["usage"]["drafted"], 0);
}

TEST_F(voice_draft_gateway, makes_no_more_drafts_than_the_service_allows) {
    options.service.conversation.draft_limit = 1;
    start();
    auto c = voice();
    json m = {{"type", "start"}, {"conversation", {{"draft_limit", 100}}}};
    m["messages"] = json::array({{{"role", "system"}, {"content", "Be brief."}}});
    c.say(m);
    EXPECT_TRUE(poll_until([&] { return !requests().empty(); }));
    EXPECT_TRUE(server_gets_idle());
    draft(c, for_four);
    c.say(draft_of(for_five));
    EXPECT_THAT(c.read("draft_skipped")["reason"].get<std::string>(), HasSubstr("1"));
}

TEST_F(voice_draft_gateway, reports_the_tokens_of_drafts_in_its_metrics) {
    start();
    auto c = voice();
    begin(c);
    draft(c, for_five);
    draft(c, for_four);
    c.say(commit_of(for_four));
    listen(c);
    const auto has_counted = [&](const std::string& series) {
        return poll_until([&] {
            const auto text = client().get("/metrics").body;
            const auto at = text.find(series);
            return at != std::string::npos && text[text.find("} ", at) + 2] != '0';
        });
    };
    EXPECT_TRUE(has_counted("tandem_tokens_drafted_total{"));
    EXPECT_TRUE(has_counted(R"(tandem_tokens_total{kind="draft_wasted")"));
    EXPECT_TRUE(has_counted(R"(tandem_tokens_total{kind="prompt_prefilled")"));
}

TEST_F(voice_draft_gateway, prefills_no_words_that_its_policy_refuses) {
    options.prompts.denied = {"secret sauce"};
    start();
    auto c = voice();
    begin(c);
    c.say({{"type", "hearing"}, {"text", "Tell me about the secret sauce of this house please"}});
    c.say({{"type", "hearing"}, {"text", "Tell me about the tables of this house please"}});
    ASSERT_TRUE(
        poll_until([&] { return requests().back().prompt.find("tables") != std::string::npos; }));
    for (const auto& r : requests()) EXPECT_THAT(r.prompt, Not(HasSubstr("sauce")));
}

// --- keys

class voice_draft_gateway_with_key : public voice_draft_gateway {
 protected:
    void key_allows(std::int64_t tokens_per_minute) {
        options.keys = gateway::api_keys({{.name = "reception",
                                           .sha256 = *gateway::hash_sha256(key.key),
                                           .tokens_per_minute = tokens_per_minute,
                                           .concurrent = 1}});
    }
    voice_client voice() { return voice_client(port, "tandem.voice.v1", "Bearer " + key.key); }

    /// Begins a session, and a draft whose request has been sent. Returns the number of
    /// requests before the draft.
    std::size_t begin_draft(voice_client& c) {
        begin(c);
        const auto before = requests().size();
        c.say(draft_of(for_four));
        EXPECT_TRUE(poll_until([&] { return requests().size() > before; }));
        return before;
    }

    gateway::new_api_key key = gateway::make_api_key();
};

TEST_F(voice_draft_gateway_with_key, counts_a_draft_and_its_reply_as_one_of_the_key) {
    server_options.tokens_per_second = 30;
    key_allows(0);
    start();
    auto c = voice();
    begin_draft(c);
    c.say(commit_of(for_four));
    EXPECT_EQ(listen(c)["text"], "Yes, we do. By the window.");
}

TEST_F(voice_draft_gateway_with_key, drops_its_draft_for_a_raw_prompt) {
    server_options.tokens_per_second = 5;
    key_allows(0);
    start();
    auto c = voice();
    const auto before = begin_draft(c);
    c.say({{"type", "start"}, {"prompt", "Once upon a time"}});
    EXPECT_TRUE(poll_until([&] { return requests()[before].outcome == mock::outcome::cut; }));
}

TEST_F(voice_draft_gateway_with_key, charges_the_tokens_of_a_draft_that_was_dropped) {
    key_allows(1);
    start();
    auto c = voice();
    begin(c);
    draft(c, for_five);
    c.say({{"type", "drop"}});
    c.say(draft_of(for_four));
    EXPECT_THAT(c.read("draft_skipped")["reason"].get<std::string>(),
                HasSubstr("1 token a minute"));
    c.say(start_of("And you?"));
    EXPECT_EQ(c.read("error")["code"], "rate_limit_exceeded");
}

}  // namespace

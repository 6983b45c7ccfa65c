// Replies that are drafted before it is certain that the user has finished speaking.

#include "service_fixture.hpp"

#include <boost/asio/error.hpp>

#include <array>
#include <vector>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr auto question = "Do you have a table for four?";
constexpr auto answer = "Yes, we do. By the window. Shall I book it for you?";

class a_conversation_with_drafts : public service_and_mocks {
 protected:
    a_conversation_with_drafts() {
        answers_with(question, answer);
        answers_with("Do you have a table for five?", "No, we do not. I am sorry.");
    }

    struct outcome {
        error_code ec;
        int tokens = 0;
        std::string why{};
    };
    static void begin_draft(conversation& talk, const std::string& text, outcome& out,
                            bool& is_over) {
        talk.async_draft(text, [&](error_code ec, int tokens) {
            out = {ec, tokens};
            is_over = true;
        });
    }
    outcome draft(conversation& talk, const std::string& text, generation_options options = {}) {
        diagnostics diag;
        const auto [ec, tokens] =
            loop.call<int>([&](auto h) { talk.async_draft(text, options, diag, std::move(h)); });
        return {ec, tokens, diag.client_message};
    }
    /// A draft whose request has been sent, on a slow server.
    void begin_slow_draft(conversation& talk, outcome& out, bool& is_over) {
        begin_draft(talk, question, out, is_over);
        loop.run_until([&] { return requests() == 1; });
        EXPECT_FALSE(is_over);
    }
    std::size_t requests(std::size_t i = 0) { return completions(server(i)).size(); }
};

TEST_F(a_conversation_with_drafts, has_the_first_chunk_before_the_turn_begins) {
    start();
    auto talk = bots->create();
    const auto drafted = draft(talk, question);
    EXPECT_FALSE(drafted.ec) << drafted.why;
    EXPECT_EQ(requests(), 1u);
    auto reply = say_until_first_chunk(talk, question);
    ASSERT_THAT(reply.chunks(), SizeIs(1));
    EXPECT_EQ(reply.chunks()[0].text, "Yes, we do.");
    EXPECT_EQ(requests(), 1u) << "the chunk needs no request";
    go_on_to_the_end(reply);
    EXPECT_EQ(reply.text(), answer);
    EXPECT_EQ(message(talk, -1), answer);
    EXPECT_EQ(reply.result().usage.drafted, drafted.tokens);
    EXPECT_EQ(reply.result().usage.draft_wasted, 0);
}

TEST_F(a_conversation_with_drafts, keeps_none_of_a_draft_in_its_history) {
    start();
    auto talk = bots->create();
    draft(talk, question);
    EXPECT_THAT(state_of(talk).history, IsEmpty());
    talk.drop_draft();
    EXPECT_THAT(state_of(talk).history, IsEmpty());
    EXPECT_GT(state_of(talk).metrics.draft_wasted, 0);
}

TEST_F(a_conversation_with_drafts, keeps_the_words_that_the_model_was_given) {
    start();
    auto talk = bots->create();
    draft(talk, question);
    const auto reply = say(talk, "do you have a table for four");
    EXPECT_EQ(reply.text(), answer);
    EXPECT_EQ(message(talk, 0), question);
}

TEST_F(a_conversation_with_drafts, keeps_an_unanswered_message_once) {
    start();
    auto talk = bots->create();
    talk.append({.role = "user", .content = "Good evening."});
    draft(talk, question);
    talk.hearing("Do you have a table for");
    talk.drop_draft(question);
    const auto reply = say(talk, "do you have a table for four");
    EXPECT_GT(reply.result().usage.drafted, 0);
    EXPECT_EQ(message(talk, 0), "Good evening.");
    EXPECT_EQ(message(talk, 1), question);
}

TEST_F(a_conversation_with_drafts, keeps_messages_whose_words_it_drafted_as_one) {
    start();
    auto talk = bots->create();
    draft(talk, "Good evening. And you?");
    talk.append({.role = "user", .content = "Good evening."});
    say(talk, "And you?");
    EXPECT_EQ(message(talk, 0), "Good evening.");
    EXPECT_EQ(message(talk, 1), "And you?");
}

TEST_F(a_conversation_with_drafts, answers_other_words_without_the_draft) {
    start();
    auto talk = bots->create();
    const auto drafted = draft(talk, "Do you have a table for five?");
    const auto reply = say(talk, question);
    EXPECT_EQ(reply.text(), answer);
    EXPECT_EQ(message(talk, 0), question);
    EXPECT_EQ(reply.result().usage.draft_wasted, drafted.tokens);
    EXPECT_GT(completions(server())[1].cached, 0) << "the common beginning is in the slot";
}

TEST_F(a_conversation_with_drafts, continues_a_draft_that_is_still_being_generated) {
    server_options.tokens_per_second = 50;
    start();
    auto talk = bots->create();
    outcome drafted;
    bool is_over = false;
    begin_slow_draft(talk, drafted, is_over);
    auto reply = say_until_first_chunk(talk, question);
    EXPECT_TRUE(is_over);
    EXPECT_FALSE(drafted.ec);
    EXPECT_EQ(requests(), 1u);
    go_on_to_the_end(reply);
    EXPECT_EQ(reply.text(), answer);
}

TEST_F(a_conversation_with_drafts, replies_without_a_draft_that_was_dropped_on_the_way) {
    server_options.tokens_per_second = 50;
    start();
    auto talk = bots->create();
    outcome drafted;
    bool is_over = false;
    begin_slow_draft(talk, drafted, is_over);
    talk.hearing("Do you have a table for four on Friday");
    loop.run_until([&] { return is_over; });
    EXPECT_EQ(drafted.ec, boost::asio::error::operation_aborted);
    EXPECT_EQ(say(talk, question).text(), answer);
}

TEST_F(a_conversation_with_drafts, keeps_the_draft_while_the_recognizer_repeats_its_words) {
    start();
    auto talk = bots->create();
    draft(talk, question);
    talk.hearing("do you have a table for four");
    EXPECT_THAT(say(talk, question).result().usage.drafted, ::testing::Gt(0));
    EXPECT_EQ(state_of(talk).metrics.draft_wasted, 0);
}

TEST_F(a_conversation_with_drafts, drafts_the_same_words_once_and_others_up_to_the_limit) {
    start();
    auto talk = bots->create();
    EXPECT_FALSE(draft(talk, question).ec);
    EXPECT_FALSE(draft(talk, question).ec);
    EXPECT_EQ(requests(), 1u);
    EXPECT_FALSE(draft(talk, "And you?").ec);
    EXPECT_FALSE(draft(talk, question).ec);
    const auto fourth = draft(talk, "And you?");
    EXPECT_EQ(fourth.ec, errc::draft_skipped);
    EXPECT_THAT(fourth.why, HasSubstr("draft_limit"));
    say(talk, question);
    EXPECT_FALSE(draft(talk, "And you?").ec) << "the next turn has drafts of its own";
}

TEST_F(a_conversation_with_drafts, skips_drafts_while_it_replies) {
    start();
    auto talk = bots->create();
    auto reply = say_until_first_chunk(talk, "Hello!");
    EXPECT_EQ(draft(talk, question).ec, errc::draft_skipped);
    go_on_to_the_end(reply);
    EXPECT_THAT(reply.text(), StartsWith("Hello."));
}

TEST_F(a_conversation_with_drafts, skips_drafts_that_a_grammar_constrains) {
    start();
    auto talk = bots->create();
    const auto drafted = draft(talk, question, {.json_schema = "{}"});
    EXPECT_EQ(drafted.ec, errc::draft_skipped);
    EXPECT_THAT(drafted.why, HasSubstr("JSON schema"));
}

TEST_F(a_conversation_with_drafts, skips_drafts_while_no_slot_is_idle) {
    server_options.tokens_per_second = 20;
    start();
    auto first = bots->create();
    auto second = bots->create();
    consumer one(first.say("Hello!"), consumer::do_not_continue);
    consumer two(second.say("Hello!"), consumer::do_not_continue);
    loop.run_until([&] { return requests() == 2; });
    auto talk = bots->create();
    const auto drafted = draft(talk, question);
    EXPECT_EQ(drafted.ec, errc::draft_skipped);
    EXPECT_THAT(drafted.why, HasSubstr("no slot is idle"));
}

TEST_F(a_conversation_with_drafts, does_not_use_a_draft_with_other_options) {
    start();
    auto talk = bots->create();
    draft(talk, question, {.max_tokens = 100});
    const auto reply = say(talk, question);
    EXPECT_EQ(reply.result().usage.drafted, 0);
    EXPECT_EQ(reply.text(), answer);
}

TEST_F(a_conversation_with_drafts, gives_out_the_chunk_of_a_server_that_died_since) {
    start(2);
    auto talk = bots->create();
    draft(talk, question);
    const auto at = completions(server(0)).empty() ? 1u : 0u;
    mocks[at].reset();
    auto reply = say_until_first_chunk(talk, question);
    ASSERT_THAT(reply.chunks(), SizeIs(1));
    EXPECT_EQ(reply.chunks()[0].text, "Yes, we do.");
    go_on_to_the_end(reply);
    EXPECT_EQ(reply.text(), answer);
}

TEST_F(a_conversation_with_drafts, needs_no_server_for_a_reply_that_was_drafted_to_its_end) {
    answers_with("Is it you?", "Yes, it is.");
    config.client.failover.resume_within = 1s;
    start();
    auto talk = bots->create();
    EXPECT_FALSE(draft(talk, "Is it you?").ec);
    bots->drain_server(server().url());
    const auto reply = say(talk, "Is it you?");
    EXPECT_FALSE(reply.error()) << reply.result().diagnostics.to_string();
    EXPECT_EQ(reply.text(), "Yes, it is.");
    EXPECT_GT(reply.result().usage.drafted, 0);
}

TEST_F(a_conversation_with_drafts, keeps_a_draft_that_arrives_though_a_check_fails) {
    config.placement = placement::round_robin;
    config.health_interval = 100ms;
    server_options.tokens_per_second = 5;
    start(2);
    auto talk = bots->create();
    outcome drafted;
    bool is_over = false;
    begin_slow_draft(talk, drafted, is_over);
    server().inject({.kind = mock::fault_kind::http_error, .times = 0, .path = "/health"});
    auto reply = say_until_first_chunk(talk, question);
    EXPECT_EQ(servers()[0].state, server_status::health::down);
    EXPECT_TRUE(is_over);
    EXPECT_FALSE(drafted.ec) << drafted.ec.message();
    ASSERT_FALSE(reply.chunks().empty());
    EXPECT_EQ(reply.chunks()[0].text, "Yes, we do.");
    go_on_to_the_end(reply);
}

TEST_F(a_conversation_with_drafts, ends_the_wait_for_a_draft_when_it_ends) {
    server_options.tokens_per_second = 50;
    start();
    auto talk = bots->create();
    outcome drafted;
    bool is_over = false;
    begin_slow_draft(talk, drafted, is_over);
    talk.end();
    loop.run_until([&] { return is_over; });
    EXPECT_EQ(drafted.ec, boost::asio::error::operation_aborted);
}

TEST_F(a_conversation_with_drafts, resumes_a_drafted_turn_that_was_interrupted) {
    start();
    auto talk = bots->create();
    draft(talk, question);
    auto reply = say_until_first_chunk(talk, question);
    interrupt(talk, reply);
    consumer resumed(talk.resume(), consumer::continue_at_once);
    loop.run_to_end(resumed);
    EXPECT_EQ(resumed.text(), answer);
    EXPECT_EQ(message(talk, -1), answer);
}

TEST_F(a_conversation_with_drafts, calls_no_function_in_a_draft) {
    server_options.tool_template = true;
    constexpr auto tools = R"([{"type":"function","function":{"name":"book_table"}}])";
    constexpr auto call =
        "<tool_call>\n{\"name\": \"book_table\", \"arguments\": {}}\n</tool_call>";
    server_options.replies = {{"", call}};
    start();
    auto talk = bots->create();
    const auto drafted = draft(talk, "Please book it", {.tools = tools});
    EXPECT_FALSE(drafted.ec) << drafted.why;
    EXPECT_THAT(server().observe().of_path("/v1/chat/completions"), IsEmpty());
    talk.append({.role = "user", .content = "Please book it"});
    consumer reply(talk.generate({.tools = tools}), consumer::continue_at_once);
    loop.run_to_end(reply);
    EXPECT_THAT(reply.result().calls, SizeIs(1)) << reply.result().diagnostics.to_string();
    EXPECT_GT(reply.result().usage.drafted, 0);
}

TEST_F(a_conversation_with_drafts, keeps_the_draft_that_its_turn_waits_for) {
    server_options.tokens_per_second = 50;
    start();
    auto talk = bots->create();
    outcome drafted;
    bool is_over = false;
    begin_slow_draft(talk, drafted, is_over);
    consumer reply(talk.say(question), consumer::continue_at_once);
    talk.drop_draft();
    talk.hearing("Do you have a table for four on Friday");
    loop.run_to_end(reply);
    EXPECT_EQ(reply.text(), answer);
    EXPECT_GT(reply.result().usage.drafted, 0);
}

TEST_F(a_conversation_with_drafts, drafts_words_once_however_they_are_punctuated) {
    start();
    auto talk = bots->create();
    draft(talk, question);
    const auto again = draft(talk, "do you have a table, for four");
    EXPECT_FALSE(again.ec);
    EXPECT_EQ(again.tokens, 0);
    EXPECT_EQ(requests(), 1u);
    talk.drop_draft(question);
    EXPECT_EQ(say(talk, question).result().usage.draft_wasted, 0) << "the text is the same";
}

TEST_F(a_conversation_with_drafts, keeps_its_draft_if_another_one_is_skipped) {
    config.conversation.draft_limit = 1;
    start();
    auto talk = bots->create();
    draft(talk, question);
    EXPECT_EQ(draft(talk, "And you?").ec, errc::draft_skipped);
    EXPECT_GT(say(talk, question).result().usage.drafted, 0);
}

TEST_F(a_conversation_with_drafts, counts_the_tokens_of_drafts_in_the_next_turn_that_begins) {
    server_options.tokens_per_second = 50;
    start();
    auto talk = bots->create();
    outcome drafted;
    bool is_over = false;
    begin_slow_draft(talk, drafted, is_over);
    ASSERT_TRUE(loop.run_until([&] { return completions(server()).back().generated >= 3; }));
    consumer reply(talk.say(question), consumer::do_not_continue);
    interrupt(talk, reply);
    EXPECT_TRUE(is_over);
    EXPECT_GT(drafted.tokens, 0);
    consumer apology(talk.say_text("Pardon?"), consumer::continue_at_once);
    loop.run_to_end(apology);
    EXPECT_EQ(apology.result().usage.draft_wasted, drafted.tokens);
    EXPECT_EQ(state_of(talk).metrics.draft_wasted, drafted.tokens);
}

TEST_F(a_conversation_with_drafts, counts_them_in_a_given_text_as_well) {
    start();
    auto talk = bots->create();
    const auto drafted = draft(talk, question);
    consumer greeting(talk.say_text("Good evening."), consumer::continue_at_once);
    loop.run_to_end(greeting);
    EXPECT_EQ(greeting.result().usage.draft_wasted, drafted.tokens);
}

TEST_F(a_conversation_with_drafts, leaves_a_prompt_that_must_be_trimmed_to_the_turn) {
    server_options.ctx_size = 400;
    server_options.parallel = 2;
    config.conversation.reply_reserve = 100;
    start();
    auto talk = bots->create();
    talk.append({.role = "user", .content = std::string(400, 'x')});
    talk.append({.role = "assistant", .content = "Hm."});
    const auto drafted = draft(talk, question + std::string(200, '.'));
    EXPECT_EQ(drafted.ec, errc::prompt_too_long) << drafted.why;
}

TEST_F(a_conversation_with_drafts, reports_at_once_that_no_server_answers) {
    start();
    auto talk = bots->create();
    mocks[0].reset();
    const auto drafted = draft(talk, question);
    EXPECT_TRUE(drafted.ec);
    EXPECT_NE(drafted.ec, boost::asio::error::operation_aborted);
    EXPECT_NE(drafted.why, "");
}

TEST_F(a_conversation_with_drafts, reports_at_once_that_it_cannot_be_made) {
    constexpr auto tools = R"([{"type":"function","function":{"name":"book_table"}}])";
    start();
    auto talk = bots->create();
    EXPECT_EQ(draft(talk, question, {.max_tokens = -5}).ec, errc::invalid_config);
    EXPECT_EQ(draft(talk, question, {.tools = tools}).ec, errc::not_supported);
    EXPECT_EQ(draft(talk, question, {.tools = tools}).ec, errc::not_supported) << "as is known";
    EXPECT_EQ(say(talk, question).text(), answer);
}

TEST_F(a_conversation_with_drafts, leaves_the_slots_that_are_kept_for_turns) {
    server_options.parallel = 4;
    server_options.tokens_per_second = 20;
    start();
    auto caller = bots->create();
    say(caller, "And you?");  // so that the server's properties are known
    const auto before = requests();
    std::array<outcome, 4> drafted;
    std::array<bool, 4> is_over{};
    std::vector<conversation> talks;
    for (std::size_t i = 0; i < 4; ++i) {
        talks.push_back(bots->create());
        begin_draft(talks[i], question, drafted[i], is_over[i]);
    }
    loop.run_until([&] { return requests() >= before + 3; });
    auto reply = say_until_first_chunk(caller, "Hello!");
    EXPECT_EQ(completions(server())[before + 3].prompt.find("table"), std::string::npos)
        << "the turn goes first";
    go_on_to_the_end(reply);
}

TEST_F(a_conversation_with_drafts, has_a_kept_slot_at_once_when_its_turn_begins) {
    server_options.parallel = 4;
    server_options.tokens_per_second = 5;
    // When the draft begins, a slot is idle. The third caller takes this slot while the server
    // slowly renders the draft's prompt.
    server_options.faults = {{.kind = mock::fault_kind::slow_headers,
                              .duration = 300ms,
                              .path = "/apply-template",
                              .when = [](const mock::request_record& r) {
                                  return r.body.find("table") != std::string::npos;
                              }}};
    start();
    auto talk = bots->create();
    std::vector<conversation> others;
    std::vector<consumer> replies;
    const auto add_caller = [&] {
        others.push_back(bots->create());
        replies.emplace_back(others.back().say("Hello!"), consumer::do_not_continue);
    };
    add_caller();
    add_caller();
    loop.run_until([&] { return requests() == 2; });
    add_caller();
    outcome drafted;
    bool is_over = false;
    begin_draft(talk, question, drafted, is_over);
    loop.run_until(
        [&] { return log.count(log_level::info, "kept for new turns") == 1 || is_over; });
    ASSERT_FALSE(is_over) << drafted.ec.message();
    consumer reply(talk.say(question), consumer::do_not_continue);
    EXPECT_TRUE(loop.run_until([&] { return requests() == 4; }));
    for (const auto& r : completions(server())) EXPECT_FALSE(r.ended) << "no slot was given back";
    for (auto& other : others) other.interrupt();
    talk.interrupt();
}

TEST_F(a_conversation_with_drafts, keeps_the_text_of_the_turn_if_the_draft_is_not_used) {
    start();
    auto talk = bots->create();
    draft(talk, "Do you have a table, for Four?", {.max_tokens = 100});
    EXPECT_EQ(say(talk, question).result().usage.drafted, 0);
    EXPECT_EQ(message(talk, 0), question);
}

TEST_F(a_conversation_with_drafts, keeps_its_slot_when_it_is_warmed) {
    start();
    auto talk = bots->create();
    say(talk, "Hello!");
    draft(talk, question);
    talk.warm();
    EXPECT_EQ(say(talk, question).result().usage.evaluated, 1);
}

TEST_F(a_conversation_with_drafts, rejects_words_that_it_could_not_append) {
    start();
    auto talk = bots->create();
    EXPECT_EQ(draft(talk, " ").ec, errc::invalid_prompt);
    EXPECT_EQ(draft(talk, "\xff").ec, errc::invalid_prompt);
}

}  // namespace

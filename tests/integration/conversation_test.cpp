// One conversation: its prompts, its history, and the text that the listener heard.

#include "service_fixture.hpp"

#include "tandem/saved_conversation.hpp"

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class a_conversation : public service_and_mocks {};

TEST_F(a_conversation, keeps_what_was_said_as_one_message_a_turn) {
    config.conversation.messages = {{.role = "system", .content = "Be kind."}};
    start();
    auto talk = bots->create();
    const auto reply = say(talk, "Hello!");
    ASSERT_FALSE(reply.error()) << reply.result().diagnostics.to_string();
    EXPECT_GT(reply.chunks().size(), 1u);
    say(talk, "And you?");
    const std::vector<chat_message> expected{
        {.role = "system", .content = "Be kind."},
        {.role = "user", .content = "Hello!"},
        {.role = "assistant", .content = "Hello. How are you? I am very well today, thank you."},
        {.role = "user", .content = "And you?"},
        {.role = "assistant", .content = "I am well, too."}};
    EXPECT_EQ(state_of(talk).history, expected);
}

TEST_F(a_conversation, has_the_context_of_a_turn_in_its_prompt_alone) {
    start();
    auto talk = bots->create();
    say(talk, "Hello!");
    talk.append({.role = "user", .content = "And you?"});
    consumer reply(talk.generate({.context = "It is noon."}), consumer::continue_at_once);
    loop.run_to_end(reply);
    EXPECT_THAT(completions(server()).back().prompt, HasSubstr("It is noon.\n\nAnd you?"));
    EXPECT_EQ(message(talk, 2), "And you?");
    talk.hearing("And how about something else now?");
    loop.run_until(
        [&] { return completions(server()).back().prompt.find("something") != std::string::npos; });
    EXPECT_THAT(completions(server()).back().prompt, Not(HasSubstr("noon")));
}

TEST_F(a_conversation, evaluates_only_the_new_tokens_of_its_second_turn) {
    start();
    auto talk = bots->create();
    const auto first = say(talk, "Hello!").result().usage;
    loop.run_until([&] { return server().observe().of_path("/tokenize").size() > 0; });
    const auto second = say(talk, "And you?").result();
    // The slot holds the first prompt and all generated tokens except the end token.
    EXPECT_GE(second.usage.cached, first.prompt + first.generated - 1);
    const auto requests = completions(server());
    EXPECT_EQ(requests.back().cached, first.prompt + first.generated - 1);
}

TEST_F(a_conversation, keeps_of_an_interrupted_turn_the_words_that_were_heard) {
    config.conversation.interrupted_mark = "…";
    start();
    auto talk = bots->create();
    consumer reply(talk.say("Hello!"), [](consumer& c, const chunk& piece) {
        if (piece.id.seq < 2) c.go_on(piece);
    });
    loop.run_until([&] { return reply.chunks().size() == 3; });
    // The listener hears " I am very well today, thank you." up to the middle of "well".
    talk.heard(reply.chunks()[2].id, 12);
    interrupt(talk, reply);
    EXPECT_EQ(message(talk, -1), "Hello. How are you? I am very…");
}

TEST_F(a_conversation, counts_what_was_heard_late_twice_and_out_of_order) {
    start();
    auto talk = bots->create();
    auto reply = say_until_first_chunk(talk, "Hello!");
    const auto first = reply.chunks()[0].id;
    interrupt(talk, reply);
    EXPECT_EQ(state_of(talk).history.size(), 1u) << "nothing was heard, so nothing is kept";
    talk.heard_share(first, 1.0);
    talk.heard(first, 2);
    talk.heard_share({first.reply, 7}, 1.0);
    EXPECT_EQ(message(talk, -1), "Hello.");
}

TEST_F(a_conversation, takes_no_continue_of_a_silenced_voice_for_heard) {
    start();
    auto talk = bots->create();
    auto reply = say_until_first_chunk(talk, "Hello!");
    interrupt(talk, reply);
    reply.go_on(reply.chunks()[0]);
    EXPECT_EQ(state_of(talk).history.size(), 1u);
}

TEST_F(a_conversation, keeps_the_cached_prefix_up_to_where_it_was_cut) {
    start();
    auto talk = bots->create();
    auto reply = say_until_first_chunk(talk, "Hello!");
    talk.heard_share(reply.chunks()[0].id, 1.0);
    interrupt(talk, reply);
    const auto prompt_tokens = reply.result().usage.prompt;
    const auto next = say(talk, "And you?");
    EXPECT_EQ(next.text(), "I am well, too.");
    const auto heard_tokens = reply.chunks()[0].tokens;
    EXPECT_GE(completions(server()).back().cached, prompt_tokens + heard_tokens - 1);
    EXPECT_THAT(completions(server()).back().prompt,
                EndsWith("assistant\nHello.<|im_end|>\n" + asked("And you?")));
}

TEST_F(a_conversation, keeps_what_its_policy_says) {
    struct row {
        history_policy policy;
        std::string kept;
    };
    start();
    for (const auto& [policy, kept] : {row{history_policy::heard, "Hello."},
                                       row{history_policy::handed_over, "Hello. How are you?"},
                                       row{history_policy::none, "Hello!"}}) {
        auto talk = bots->create({.interrupted = policy});
        consumer reply(talk.say("Hello!"), [](consumer& c, const chunk& piece) {
            if (piece.id.seq == 0) c.go_on(piece);
        });
        loop.run_until([&] { return reply.chunks().size() == 2; });
        interrupt(talk, reply);
        EXPECT_EQ(message(talk, -1), kept);
    }
}

TEST_F(a_conversation, speaks_on_from_the_last_word_after_a_false_interruption) {
    config.client.pacing.mode = pacing::stream;
    start();
    auto talk = bots->create();
    consumer reply(talk.say("Hello!"), [](consumer& c, const chunk& piece) {
        if (piece.id.seq == 0) c.go_on(piece);
    });
    // The closed connection shows that the whole text has been generated and read. The resumed
    // reply needs no server.
    loop.run_until([&] {
        return reply.chunks().size() == 2 && server().observe().open_connections == 0 &&
               completions(server()).back().outcome == mock::outcome::complete;
    });
    talk.heard(reply.chunks()[1].id, 5);  // "How a"
    interrupt(talk, reply);
    const auto requests_before = completions(server()).size();
    consumer rest(talk.resume());
    loop.run_to_end(rest);
    ASSERT_FALSE(rest.error()) << rest.result().diagnostics.to_string();
    EXPECT_EQ(rest.text(), " are you? I am very well today, thank you.");
    EXPECT_EQ(completions(server()).size(), requests_before);
    EXPECT_EQ(message(talk, -1), "Hello. How are you? I am very well today, thank you.");
}

TEST_F(a_conversation, generates_what_is_missing_after_a_false_interruption) {
    config.client.pacing.mode = pacing::strict;
    start();
    auto talk = bots->create();
    auto reply = say_until_first_chunk(talk, "Hello!");
    talk.heard_share(reply.chunks()[0].id, 1.0);
    interrupt(talk, reply);
    consumer rest(talk.resume());
    loop.run_to_end(rest);
    EXPECT_EQ(rest.text(), " How are you? I am very well today, thank you.");
    EXPECT_EQ(message(talk, -1), "Hello. How are you? I am very well today, thank you.");
    EXPECT_EQ(rest.result().finish_reason, finish_reason::eos);
}

TEST_F(a_conversation, is_resumed_too_if_its_last_words_were_talked_over) {
    start();
    auto talk = bots->create();
    consumer reply(talk.say("And you?"), consumer::do_not_continue);
    loop.run_to_end(reply);
    ASSERT_EQ(reply.chunks().size(), 1u) << "every chunk is handed over, and the reply has ended";
    talk.heard(reply.chunks()[0].id, 4);  // "I am"
    talk.interrupt();
    EXPECT_EQ(message(talk, -1), "I am");
    consumer rest(talk.resume());
    loop.run_to_end(rest);
    EXPECT_EQ(rest.text(), " well, too.");
    EXPECT_EQ(message(talk, -1), "I am well, too.");
    EXPECT_EQ(completions(server()).size(), 1u);
}

TEST_F(a_conversation, loses_nothing_if_a_resume_is_interrupted_before_it_began) {
    config.client.pacing.mode = pacing::strict;
    start();
    auto talk = bots->create();
    auto reply = say_until_first_chunk(talk, "Hello!");
    talk.heard_share(reply.chunks()[0].id, 1.0);
    interrupt(talk, reply);
    {
        consumer too_early(talk.resume());
        talk.interrupt();
        loop.run_to_end(too_early);
        EXPECT_EQ(too_early.text(), "");
    }
    consumer rest(talk.resume());
    loop.run_to_end(rest);
    EXPECT_EQ(rest.text(), " How are you? I am very well today, thank you.");
    EXPECT_EQ(message(talk, -1), "Hello. How are you? I am very well today, thank you.");
}

TEST_F(a_conversation, resumes_with_the_options_of_its_turn) {
    config.client.pacing.mode = pacing::strict;
    start();
    auto talk = bots->create();
    talk.append({.role = "user", .content = "Hello!"});
    generation_options options;
    options.max_tokens = 6;
    consumer reply(talk.generate(options), consumer::do_not_continue);
    loop.run_until([&] { return !reply.chunks().empty(); });
    talk.heard_share(reply.chunks()[0].id, 1.0);
    interrupt(talk, reply);
    consumer rest(talk.resume());
    loop.run_to_end(rest);
    EXPECT_EQ(rest.result().finish_reason, finish_reason::length);
    EXPECT_EQ(message(talk, -1).find("today"), std::string::npos);
}

TEST_F(a_conversation, learns_what_its_exchanges_cost) {
    start();
    auto talk = bots->create();
    say(talk, "Hello!");
    say(talk, "And you?");
    const auto saved = loop.call<std::string>([&](auto h) { talk.async_save(std::move(h)); });
    saved_conversation read;
    ASSERT_FALSE(read_saved(saved.second, read));
    ASSERT_THAT(read.exchanges, SizeIs(2));
    EXPECT_GT(read.exchanges[0].tokens, 10);
}

TEST_F(a_conversation, counts_late_reports_though_the_user_has_spoken_already) {
    start();
    auto talk = bots->create();
    auto reply = say_until_first_chunk(talk, "Hello!");
    talk.append({.role = "user", .content = "And you?"});
    interrupt(talk, reply);
    talk.heard_share(reply.chunks()[0].id, 1.0);
    EXPECT_EQ(message(talk, -2), "Hello.");
    EXPECT_EQ(message(talk, -1), "And you?");
}

TEST_F(a_conversation, is_saved_with_a_call_of_a_tool_beside_what_is_said_before_its_result) {
    start();
    auto talk = bots->create();
    talk.append({.role = "user", .content = "How is the weather?"});
    talk.append({.role = "assistant", .tool_calls = {{"1", "weather", "{}"}}});
    const auto reply = talk.generate();
    talk.append({.role = "user", .content = "Hello?"});
    const auto text = loop.call<std::string>([&](auto h) { talk.async_save(std::move(h)); }).second;
    saved_conversation saved;
    ASSERT_FALSE(read_saved(text, saved));
    EXPECT_THAT(saved.exchanges, SizeIs(1))
        << "trimming must not separate the call from its result";
}

TEST_F(a_conversation, is_settled_when_the_grace_is_over) {
    config.conversation.resume_grace = 0s;
    start();
    auto talk = bots->create();
    auto reply = say_until_first_chunk(talk, "Hello!");
    interrupt(talk, reply);
    consumer rest(talk.resume());
    loop.run_to_end(rest);
    expect_error(rest, errc::nothing_to_resume);
    talk.heard_share(reply.chunks()[0].id, 1.0);
    EXPECT_EQ(state_of(talk).history.size(), 1u) << "what is heard later changes nothing";
}

TEST_F(a_conversation, has_one_reply_at_a_time) {
    start();
    auto talk = bots->create();
    auto reply = say_until_first_chunk(talk, "Hello!");
    consumer second(talk.generate());
    loop.run_to_end(second);
    expect_error(second, errc::operation_in_progress);
    reply.go_on(reply.chunks()[0]);
    EXPECT_TRUE(state_of(talk).is_replying) << "the first reply continues";
}

TEST_F(a_conversation, puts_what_is_said_meanwhile_after_the_reply) {
    start();
    auto talk = bots->create();
    auto reply = say_until_first_chunk(talk, "Hello!");
    talk.append({.role = "user", .content = "And you?"});
    talk.heard_share(reply.chunks()[0].id, 1.0);
    interrupt(talk, reply);
    EXPECT_EQ(message(talk, -1), "And you?");
    consumer next(talk.generate());
    loop.run_to_end(next);
    EXPECT_EQ(next.text(), "I am well, too.");
}

TEST_F(a_conversation, has_no_turn_for_an_empty_text) {
    start();
    auto talk = bots->create();
    expect_error(say(talk, ""), errc::invalid_prompt);
    expect_error(say(talk, " \t\n\xC2\xA0"), errc::invalid_prompt);
    EXPECT_TRUE(state_of(talk).history.empty());
    EXPECT_EQ(say(talk, "And you?").text(), "I am well, too.");
}

TEST_F(a_conversation, that_has_ended_is_not_found) {
    start();
    auto talk = bots->create();
    talk.end();
    consumer reply(talk.say("Hello!"));
    loop.run_to_end(reply);
    expect_error(reply, errc::session_not_found);
    diagnostics why;
    const auto [ec, state] =
        loop.call<conversation_state>([&](auto h) { talk.async_state(why, std::move(h)); });
    EXPECT_EQ(ec, errc::session_not_found);
    EXPECT_THAT(why.client_message, ::testing::HasSubstr("has ended"));
}

TEST_F(a_conversation, refuses_text_that_is_not_utf8_and_keeps_nothing_of_it) {
    start();
    auto talk = bots->create();
    diagnostics diag;
    EXPECT_EQ(talk.append({.role = "robot", .content = "Hi"}), errc::invalid_prompt);
    EXPECT_EQ(talk.append({.role = "user", .content = "Hi\xFF"}, diag), errc::invalid_prompt);
    EXPECT_THAT(diag.client_message, HasSubstr("UTF-8"));
    consumer reply(talk.say("\xC3"));
    loop.run_to_end(reply);
    expect_error(reply, errc::invalid_prompt);
    EXPECT_THAT(state_of(talk).history, IsEmpty());
}

TEST_F(a_conversation, survives_its_process) {
    start();
    std::string saved;
    {
        auto talk = bots->create({.messages = {{.role = "system", .content = "Be kind."}}});
        say(talk, "Hello!");
        saved = loop.call<std::string>([&](auto h) { talk.async_save(std::move(h)); }).second;
    }
    error_code ec;
    auto talk = bots->load(saved, ec);
    ASSERT_TRUE(talk) << ec.message();
    EXPECT_EQ(say(*talk, "And you?").text(), "I am well, too.");
    EXPECT_THAT(state_of(*talk).history, SizeIs(5));
    EXPECT_THAT(completions(server()).back().prompt, StartsWith("<|im_start|>system\nBe kind."));
}

TEST_F(a_conversation, is_not_loaded_from_other_text) {
    start();
    error_code ec;
    diagnostics diag;
    EXPECT_FALSE(bots->load("{\"version\": 1, \"exchanges\": 5}", ec, diag));
    EXPECT_TRUE(ec);
    EXPECT_THAT(diag.client_message, HasSubstr("exchanges"));
}

TEST_F(a_conversation, uses_chatml_if_the_server_has_no_template) {
    server_options.has_chat_template = false;
    start();
    auto talk = bots->create();
    EXPECT_EQ(say(talk, "And you?").text(), "I am well, too.");
}

TEST_F(a_conversation, reports_that_the_template_refuses_it) {
    server_options.faults = {{.kind = mock::fault_kind::http_error,
                              .times = 3,  // two for the probe of the template, one for the reply
                              .path = "/apply-template",
                              .status = 500,
                              .text = "roles must alternate"}};
    start();
    auto talk = bots->create();
    const auto reply = say(talk, "Hello!");
    expect_error(reply, errc::tokenize_failed);
    EXPECT_THAT(reply.result().diagnostics.server_message, HasSubstr("roles must alternate"));
}

TEST_F(a_conversation, is_prefilled_while_nobody_waits) {
    config.conversation.messages = {{.role = "system", .content = "Be very kind to everyone."}};
    start();
    auto talk = bots->create();
    talk.warm();
    loop.run_until([&] { return state_of(talk).metrics.warmed > 0; });
    const auto reply = say(talk, "And you?");
    EXPECT_GT(completions(server()).back().cached, 5);
    EXPECT_EQ(reply.text(), "I am well, too.");
}

TEST_F(a_conversation, is_prefilled_again_when_another_one_has_taken_its_slot) {
    server_options.parallel = 1;
    start();
    auto talk = bots->create();
    talk.append({.role = "user", .content = "Hello!"});
    talk.warm();
    loop.run_until([&] { return state_of(talk).metrics.warmed > 0; });
    const auto warmed = state_of(talk).metrics.warmed;
    auto other = bots->create();
    say(other, "And you?");
    talk.warm();
    EXPECT_TRUE(loop.run_until([&] { return state_of(talk).metrics.warmed > warmed; }));
}

TEST_F(a_conversation, is_prefilled_when_asked_again_after_that_failed) {
    server_options.faults = {{.kind = mock::fault_kind::http_error, .status = 500}};
    start();
    auto talk = bots->create();
    talk.append({.role = "user", .content = "Hello!"});
    talk.warm();
    loop.run_until([&] { return log.count(log_level::info, "could not be prefilled") == 1; });
    talk.warm();
    EXPECT_TRUE(loop.run_until([&] { return state_of(talk).metrics.warmed > 0; }));
}

TEST_F(a_conversation, asks_its_server_for_nothing_once_it_has_ended) {
    config.client.pacing.mode = pacing::stream;
    start();
    auto talk = bots->create();
    auto reply = say_until_first_chunk(talk, "Hello!");
    talk.end();
    loop.run_to_end(reply);
    EXPECT_TRUE(loop.runs_out_of_work());
    EXPECT_THAT(server().observe().of_path("/tokenize"), IsEmpty());
}

TEST_F(a_conversation, ends_with_its_service) {
    start();
    auto talk = bots->create();
    auto reply = say_until_first_chunk(talk, "Hello!");
    bots.reset();
    loop.run_to_end(reply);
    expect_error(reply, errc::client_destroyed);
    consumer next(talk.generate());
    loop.run_to_end(next);
    expect_error(next, errc::client_destroyed);
}

}  // namespace

// Texts that a conversation speaks although no model generates them.

#include "service_fixture.hpp"

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class given_text : public service_and_mocks {
 protected:
    consumer speak(reply r) {
        consumer c(std::move(r));
        loop.run_to_end(c);
        return c;
    }
};

TEST_F(given_text, is_spoken_sentence_by_sentence_and_is_a_turn_of_the_history) {
    start();
    auto talk = bots->create();
    const auto greeting = speak(talk.say_text("Good evening. How may I help you today?"));
    EXPECT_FALSE(greeting.error());
    ASSERT_THAT(greeting.chunks(), SizeIs(2));
    EXPECT_EQ(greeting.chunks()[0].speech, "Good evening.");
    EXPECT_EQ(greeting.chunks()[1].speech, "How may I help you today?");
    EXPECT_EQ(message(talk, -1), "Good evening. How may I help you today?");
}

TEST_F(given_text, needs_no_server) {
    config.servers = {"http://127.0.0.1:1"};
    config.client.limits.connect_timeout = 200ms;
    start(0);
    auto talk = bots->create();
    const auto greeting = speak(talk.say_text("Good evening."));
    EXPECT_FALSE(greeting.error());
    EXPECT_EQ(greeting.text(), "Good evening.");
}

TEST_F(given_text, needs_no_server_to_be_resumed) {
    config.servers = {"http://127.0.0.1:1"};
    config.client.limits.connect_timeout = 200ms;
    config.client.failover.resume_within = 1s;
    start(0);
    auto talk = bots->create();
    consumer greeting(talk.say_text("Good evening. How may I help you?"),
                      consumer::do_not_continue);
    loop.run_until([&] { return !greeting.chunks().empty(); });
    talk.heard(greeting.chunks()[0].id, 4);
    interrupt(talk, greeting);
    const auto rest = speak(talk.resume());
    EXPECT_FALSE(rest.error()) << rest.result().diagnostics.to_string();
    EXPECT_EQ(rest.text(), " evening. How may I help you?");
}

TEST_F(given_text, prefills_a_slot_again_when_it_was_resumed) {
    start();
    auto talk = bots->create();
    consumer greeting(talk.say_text("Good evening. How may I help you?"),
                      consumer::do_not_continue);
    loop.run_until([&] { return !greeting.chunks().empty(); });
    interrupt(talk, greeting);
    speak(talk.resume());
    EXPECT_TRUE(loop.run_until(
        [&] {
            const auto sent = completions(server());
            return !sent.empty() && sent.back().prompt.find("help you?") != std::string::npos;
        },
        5s));
}

TEST_F(given_text, stays_in_the_history_as_far_as_it_was_heard) {
    start();
    auto talk = bots->create();
    consumer greeting(talk.say_text("Good evening. How may I help you?"),
                      consumer::do_not_continue);
    loop.run_until([&] { return !greeting.chunks().empty(); });
    talk.heard(greeting.chunks()[0].id, 4);
    interrupt(talk, greeting);
    EXPECT_EQ(message(talk, -1), "Good");
}

TEST_F(given_text, is_followed_by_the_answer_of_the_model) {
    start();
    auto talk = bots->create();
    speak(talk.say_text("Good evening."));
    say(talk, "Hello!");
    EXPECT_THAT(completions(server()).back().prompt,
                EndsWith("assistant\nGood evening.<|im_end|>\n" + asked("Hello!")));
}

TEST_F(given_text, said_aside_leaves_no_trace_and_may_be_spoken_during_a_reply) {
    start();
    auto talk = bots->create();
    auto answer = say_until_first_chunk(talk, "Hello!");
    const auto aside = speak(talk.say_aside("One moment, please."));
    EXPECT_FALSE(aside.error());
    EXPECT_EQ(aside.text(), "One moment, please.");
    go_on_to_the_end(answer);
    EXPECT_EQ(message(talk, -1), "Hello. How are you? I am very well today, thank you.");
    EXPECT_THAT(state_of(talk).history, SizeIs(2));
}

TEST_F(given_text, said_aside_ends_at_an_interrupt_of_the_conversation) {
    start();
    auto talk = bots->create();
    consumer aside(talk.say_aside("One moment, please. It may take a while."),
                   consumer::do_not_continue);
    loop.run_until([&] { return !aside.chunks().empty(); });
    interrupt(talk, aside);
    EXPECT_EQ(aside.result().finish_reason, finish_reason::interrupted);
}

TEST_F(given_text, has_the_lookahead_of_its_options) {
    start();
    auto talk = bots->create();
    const std::string text = "Good evening. How may I help you?";
    using function = reply (conversation::*)(std::string, generation_options);
    for (const auto say : {function{&conversation::say_text}, function{&conversation::say_aside}}) {
        consumer spoken((talk.*say)(text, {.lookahead = 1}), consumer::do_not_continue);
        loop.run_until([&] { return spoken.chunks().size() == 2; });
        EXPECT_TRUE(spoken.chunks()[1].early);
        go_on_to_the_end(spoken);
    }
}

TEST_F(given_text, that_is_empty_is_refused) {
    start();
    auto talk = bots->create();
    for (const auto* text : {"", " \n", "\xFF"}) {
        expect_error(speak(talk.say_text(text)), errc::invalid_prompt);
        expect_error(speak(talk.say_aside(text)), errc::invalid_prompt);
    }
    EXPECT_THAT(state_of(talk).history, IsEmpty());
}

TEST_F(given_text, waits_for_no_other_turn) {
    start();
    auto talk = bots->create();
    auto answer = say_until_first_chunk(talk, "Hello!");
    expect_error(speak(talk.say_text("Good evening.")), errc::operation_in_progress);
    go_on_to_the_end(answer);
}

}  // namespace

#include "integration/service_fixture.hpp"
#include "support/scripted_server.hpp"

#include <ostream>

// Failing servers of a service, and their effect on replies.
namespace tandem::testing {
namespace {

using mock::fault_kind;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using health = server_status::health;

constexpr const char* whole_text = "Hello. How are you? I am very well today, thank you.";

/// Conversations take the servers in turn, so the first conversation is on the first server.
class failing_servers : public service_and_mocks {
 protected:
    failing_servers() {
        config.placement = placement::round_robin;
        config.client.pacing.mode = pacing::strict;
    }
    static mock::fault always(fault_kind kind, const char* path, int status = 500) {
        return {.kind = kind, .at_token = 0, .times = 0, .path = path, .status = status};
    }
    void revive(std::size_t i) {
        auto options = server_options;
        options.port = server(i).port();
        mocks[i].reset();
        mocks[i] = std::make_unique<mock::server>(options);
    }
    /// Occupies the only slot of a server.
    consumer keep_a_slot_busy(conversation& c) {
        auto options = config.client.generation;
        options.grammar = "root ::= .*";
        c.append({.role = "user", .content = "Long"});
        consumer reply(c.generate(options), consumer::do_not_continue);
        loop.run_until([&] { return !reply.chunks().empty(); });
        return reply;
    }
    void expect_whole(const consumer& reply) {
        EXPECT_FALSE(reply.error()) << reply.result().diagnostics.to_string();
        EXPECT_EQ(reply.text(), whole_text);
    }
    static std::string many_words(int count) {
        std::string text = "One two three.";
        for (int i = 0; i < count; ++i) text += " word" + std::to_string(i);
        return text + ".";
    }
};

// --- a server that comes back

TEST_F(failing_servers, are_looked_for_often_while_a_reply_waits) {
    // If the pauses between checks doubled each time, the service would find the server only after
    // 12.7 s.
    config.health_interval = 10s;
    config.client.failover.resume_within = 11s;
    start();
    auto talk = bots->create();
    auto reply = say_until_first_chunk(talk, "Hello!");
    server_options.load_time = 6500ms;
    revive(0);
    go_on_to_the_end(reply);
    expect_whole(reply);
}

// Servers that are frozen, or behind a network that drops all data. Without health checks, only
// limits of 5 minutes would reveal them.
class hanging_servers : public failing_servers {
 protected:
    hanging_servers() {
        config.health_interval = 200ms;
        config.client.failover.resume_within = 30s;  // the machine may be busy
        config.client.limits.request_timeout = 5min;
        config.client.limits.first_token_timeout = config.client.limits.between_tokens_timeout =
            5min;
    }
    void hang(const char* path) {
        server(0).inject(
            {.kind = fault_kind::slow_headers, .duration = 1h, .times = 0, .path = path});
    }
};

class hanging_at : public hanging_servers,
                   public ::testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(hanging_at, the_start_is_left_by_turns) {
    start(2);
    hang(GetParam().second);
    hang("/health");
    auto talk = bots->create();
    const auto reply = say(talk, "Hello!");
    expect_whole(reply);
    EXPECT_EQ(state_of(talk).server, server(1).url());
}

INSTANTIATE_TEST_SUITE_P(table, hanging_at,
                         ::testing::Values(std::pair("props", "/props"),
                                           std::pair("template", "/apply-template")),
                         [](const auto& which) { return std::string(which.param.first); });

TEST_F(hanging_servers, are_left_by_a_turn_whose_conversation_was_warmed_before) {
    config.health_interval = 1h;
    start(2);
    auto talk = bots->create();
    talk.append({.role = "user", .content = "Hello!"});
    talk.warm();
    loop.run_until([&] { return !completions(server(0)).empty(); });
    loop.ioc.run_for(600ms);  // then the last answer of /health is stale
    hang("/apply-template");
    hang("/props");  // the first health check requests /props, to check the key
    talk.warm();
    const auto reply = say(talk, "And you?");
    EXPECT_FALSE(reply.error()) << reply.result().diagnostics.to_string();
    EXPECT_EQ(state_of(talk).server, server(1).url());
}

class hanging_after : public hanging_servers, public ::testing::WithParamInterface<int> {};

TEST_P(hanging_after, so_many_tokens_are_left_by_replies) {
    start(2);
    server(0).inject({.kind = fault_kind::stall, .at_token = GetParam()});
    auto talk = bots->create();
    consumer reply(talk.say("Hello!"), consumer::continue_at_once);
    loop.run_until([&] { return !completions(server(0)).empty(); });
    hang("/health");
    loop.run_to_end(reply);
    expect_whole(reply);
    EXPECT_EQ(reply.result().metrics.retries, 1);
    EXPECT_EQ(state_of(talk).server, server(1).url());
}

INSTANTIATE_TEST_SUITE_P(table, hanging_after, ::testing::Values(0, 1));

TEST_F(hanging_servers, are_waited_for_if_there_is_no_other) {
    config.client.failover.resume_within = 1s;
    start();
    server(0).inject({.kind = fault_kind::stall, .at_token = 1, .duration = 4s});
    hang("/health");
    auto talk = bots->create();
    const auto reply = say(talk, "Hello!");
    expect_whole(reply);
    EXPECT_EQ(reply.result().metrics.retries, 0);
    EXPECT_FALSE(say(talk, "And you?").error()) << "a turn begins there, too";
}

// A server that generates may be too busy to answer /health.
TEST_F(hanging_servers, are_not_left_while_they_speak) {
    config.client.pacing.mode = pacing::stream;  // keeps the reply busy; an idle reply would leave
    server_options.tokens_per_second = 5;
    start(2);
    hang("/health");
    auto talk = bots->create();
    const auto reply = say(talk, "Hello!");
    expect_whole(reply);
    EXPECT_EQ(reply.result().metrics.retries, 0);
}

TEST_F(failing_servers, are_left_by_replies_that_rest) {
    config.health_interval = 100ms;
    start(2);
    auto talk = bots->create();
    auto reply = say_until_first_chunk(talk, "Hello!");
    server(0).stop();
    EXPECT_TRUE(loop.run_until([&] { return state_of(talk).server == server(1).url(); }))
        << "while the voice speaks";
    go_on_to_the_end(reply);
    expect_whole(reply);
}

TEST_F(failing_servers, are_kept_to_by_replies_that_rest_and_may_not_continue) {
    config.health_interval = 100ms;
    config.client.failover.retries = 0;
    start(2);
    auto talk = bots->create();
    auto reply = say_until_first_chunk(talk, "Hello!");
    server(0).stop();
    loop.run_until([&] { return servers()[0].state == health::down; });
    revive(0);
    go_on_to_the_end(reply);
    expect_whole(reply);
}

// --- failures of one server among several

TEST_F(failing_servers, are_not_taken_for_each_other) {
    config.client.failover.resume_within = 300ms;
    server_options.parallel = 1;
    server_options.tokens_per_second = 100;
    answers_with("Long", many_words(2000));
    start(2);
    auto talk = bots->create();
    auto other = bots->create();
    auto reply = say_until_first_chunk(talk, "Hello!");
    const auto busy = keep_a_slot_busy(other);
    server(0).stop();
    reply.go_on(reply.chunks()[0]);
    loop.run_to_end(reply);
    expect_error(reply, errc::connect_failed);
    EXPECT_EQ(servers()[0].state, health::down);
    EXPECT_EQ(servers()[1].state, health::up) << servers()[1].fault;
}

class refusing_server : public failing_servers, public ::testing::WithParamInterface<int> {
 protected:
    refusing_server() {
        config.client.failover.resume_within = 6s;  // the machine may be busy
        start(2);
        talk.emplace(bots->create());
        reply.emplace(say_until_first_chunk(*talk, "Hello!"));
        server(1).inject(always(fault_kind::http_error, "/props", GetParam()));
        server(0).stop();
        reply->go_on(reply->chunks()[0]);
    }
    std::size_t times_asked() { return server(1).observe().of_path("/props").size(); }

    std::optional<conversation> talk;
    std::optional<consumer> reply;
};

class refusing_server_for_long : public refusing_server {
 protected:
    void SetUp() override {
        loop.run_until([&] { return times_asked() > 0; });
    }
};

TEST_P(refusing_server_for_long, is_not_the_end_of_another_ones_reply) {
    revive(0);
    for (std::size_t i = 1; !reply->ended(); ++i) {
        loop.run_until([&] { return reply->chunks().size() > i || reply->ended(); });
        if (i < reply->chunks().size()) reply->go_on(reply->chunks()[i]);
    }
    expect_whole(*reply);
}

TEST_P(refusing_server_for_long, is_named_if_nobody_else_comes) {
    loop.run_to_end(*reply);
    expect_error(*reply, errc::no_model);
    EXPECT_THAT(reply->result().diagnostics.client_message,
                HasSubstr("(HTTP " + std::to_string(GetParam()) + ")"));
}

INSTANTIATE_TEST_SUITE_P(statuses, refusing_server_for_long, ::testing::Values(401, 404, 500));

// --- the status of a server

TEST_F(failing_servers, are_noticed_if_nobody_talks_if_that_is_wished) {
    config.watch_always = true;
    config.health_interval = 100ms;
    start();
    loop.run_until([&] { return servers()[0].state == health::up; });
    server().stop();
    loop.run_until([&] { return servers()[0].state == health::down; });
    revive(0);
    loop.run_until([&] { return servers()[0].state == health::up; });
}

TEST_F(failing_servers, are_down_as_long_as_they_refuse_the_key) {
    config.watch_always = true;
    config.health_interval = 100ms;
    config.client.failover.resume_within = 1ms;
    server_options.api_key = "other";
    start();
    auto talk = bots->create();
    expect_error(say(talk, "Hello!"), errc::unauthorized);
    const auto asked_before = server().observe().of_path("/props").size();
    loop.run_until([&] { return server().observe().of_path("/props").size() > asked_before + 1; });
    EXPECT_EQ(servers()[0].state, health::down) << "whatever /health says";
    server_options.api_key.clear();
    revive(0);
    loop.run_until([&] { return servers()[0].state == health::up; });
}

TEST_F(failing_servers, that_refuse_the_key_are_waited_for_by_no_turn) {
    config.client.failover.resume_within = 5min;
    server_options.api_key = "other";
    start();
    auto talk = bots->create();
    expect_error(say(talk, "Hello!"), errc::unauthorized);
    expect_error(say(talk, "Hello!"), errc::unauthorized);
}

TEST_F(failing_servers, that_have_never_been_reached_are_waited_for_by_no_turn) {
    config.client.failover.resume_within = 1h;
    start();
    server().stop();
    auto talk = bots->create();
    for (int turn = 0; turn < 2; ++turn) expect_error(say(talk, "Hello!"), errc::connect_failed);
}

TEST_F(failing_servers, that_speak_http_at_an_https_url_fail_each_turn_with_that) {
    config.client.failover.resume_within = 1h;
    config.client.limits.connect_timeout = 50ms;
    scripted_server silent([](scripted_peer& peer) -> boost::asio::awaitable<void> {
        co_await peer.wait_for_close();
    });
    config.servers = {"https://127.0.0.1:" + std::to_string(silent.port())};
    start(0);
    auto talk = bots->create();
    for (int turn = 0; turn < 2; ++turn) expect_error(say(talk, "Hello!"), errc::tls_failed);
}

TEST_F(failing_servers, are_down_if_nothing_of_a_llama_server_answers) {
    config.health_interval = 100ms;
    start(2);
    for (const char* path : {"/health", "/props", "/apply-template", "/completion"})
        server(0).inject(always(fault_kind::http_error, path, 404));
    std::vector<conversation> all;
    for (int i = 0; i < 2; ++i) expect_whole(say(all.emplace_back(bots->create()), "Hello!"));
    EXPECT_EQ(servers()[0].state, health::down);
    EXPECT_THAT(servers()[0].fault, HasSubstr("404"));
}

TEST_F(failing_servers, are_left_alone_where_requests_break_after_their_progress) {
    config.client.failover.retries = 0;
    config.client.failover.breaker_failures = 2;
    config.client.failover.breaker_pause = 1h;
    start();
    server().inject({.kind = fault_kind::reset, .at_token = 0, .times = 0, .path = "/completion"});
    for (int i = 0; i < 2; ++i) {
        auto talk = bots->create();
        const auto reply = say(talk, "Hello!");
        expect_error(reply, errc::stream_incomplete);
        EXPECT_EQ(reply.result().metrics.went_on, 0);
    }
    EXPECT_TRUE(servers()[0].circuit_open);
}

// --- the start of a turn

struct start_fault {
    const char* name;
    const char* path;
    fault_kind kind;
    friend std::ostream& operator<<(std::ostream& out, const start_fault& f) {
        return out << f.name;
    }
};

class server_that_starts_no_turn : public failing_servers,
                                   public ::testing::WithParamInterface<start_fault> {};

TEST_P(server_that_starts_no_turn, has_it_started_by_another_one) {
    config.client.limits.request_timeout = 500ms;
    start(2);
    auto fault = always(GetParam().kind, GetParam().path);
    fault.duration = 20s;
    server(0).inject(fault);
    auto talk = bots->create();
    expect_whole(say(talk, "Hello!"));
    EXPECT_EQ(state_of(talk).server, server(1).url());
}

INSTANTIATE_TEST_SUITE_P(
    faults, server_that_starts_no_turn,
    ::testing::Values(start_fault{"props_error", "/props", fault_kind::http_error},
                      start_fault{"props_close", "/props", fault_kind::close},
                      start_fault{"props_slow", "/props", fault_kind::slow_headers},
                      start_fault{"template_error", "/apply-template", fault_kind::http_error},
                      start_fault{"template_close", "/apply-template", fault_kind::close},
                      start_fault{"template_slow", "/apply-template", fault_kind::slow_headers}),
    [](const auto& which) { return which.param.name; });

TEST_F(failing_servers, make_a_turn_start_over_if_nothing_was_said) {
    answers_with("Third", "Fine.");
    server_options.ctx_size = 8000;
    start();
    // Each of the two slots has half of this context, which is less than the conversation needs.
    server_options.ctx_size = 2400;
    mocks.push_back(std::make_unique<mock::server>(server_options));
    bots->add_server(server(1).url());
    auto talk = bots->create();
    for (int i = 0; i < 6; ++i) {
        talk.append({.role = "user", .content = many_words(100)});
        talk.append({.role = "assistant", .content = "Yes."});
    }
    ASSERT_FALSE(say(talk, "Hello!").error());
    ASSERT_EQ(state_of(talk).server, server(0).url());
    ASSERT_EQ(state_of(talk).metrics.trims, 0);
    server(0).inject({.kind = fault_kind::reset, .at_token = 0});
    const auto reply = say(talk, "Third");
    EXPECT_FALSE(reply.error()) << reply.result().diagnostics.to_string();
    EXPECT_EQ(reply.text(), "Fine.");
    EXPECT_EQ(reply.result().metrics.retries, 1);
    EXPECT_EQ(state_of(talk).server, server(1).url());
    EXPECT_GT(state_of(talk).metrics.trims, 0);
}

// Only the request of a turn may be the trial that shows whether a server is back. Other work, for
// which nobody waits, may not.
TEST_F(failing_servers, are_tried_by_turns_and_not_by_what_nobody_waits_for) {
    config.client.failover.breaker_failures = 1;
    config.client.failover.breaker_pause = 500ms;
    config.client.failover.retries = 0;
    start();
    auto talk = bots->create();
    auto other = bots->create();
    server().inject({.kind = fault_kind::reset, .at_token = 2});
    expect_error(say(talk, "Hello!"), errc::stream_incomplete);
    loop.run_until([&] {
        other.warm();
        return !state_of(other).server.empty();
    });
    const auto next = say(talk, "And you?");
    EXPECT_FALSE(next.error()) << next.result().diagnostics.to_string();
}

// --- resumed turns

class resumed_turn : public failing_servers {
 protected:
    resumed_turn() {
        server_options.tokens_per_second = 50;
        answers_with("Long", many_words(40));
    }
};

TEST_F(resumed_turn, has_its_own_options_and_not_those_of_a_refused_one) {
    start();
    auto talk = bots->create();
    auto reply = say_until_first_chunk(talk, "Long");
    auto options = config.client.generation;
    options.max_tokens = 1;
    consumer second(talk.generate(options));
    loop.run_to_end(second);
    expect_error(second, errc::operation_in_progress);
    interrupt(talk, reply);
    consumer rest(talk.resume());
    loop.run_to_end(rest);
    EXPECT_FALSE(rest.error()) << rest.result().diagnostics.to_string();
    EXPECT_EQ(rest.text(), many_words(40)) << "nothing was heard before";
}

TEST_F(resumed_turn, is_refused_if_a_grammar_would_begin_again) {
    start();
    server().inject({.kind = fault_kind::stall, .at_token = 20});
    auto talk = bots->create();
    auto reply = keep_a_slot_busy(talk);
    interrupt(talk, reply);
    const auto asked_before = completions(server()).size();
    consumer rest(talk.resume());
    loop.run_to_end(rest);
    expect_error(rest, errc::nothing_to_resume);
    EXPECT_THAT(rest.result().diagnostics.client_message, HasSubstr("grammar"));
    EXPECT_THAT(rest.chunks(), IsEmpty());
    EXPECT_THAT(completions(server()), SizeIs(asked_before));
}

class resumed_whole_turn : public resumed_turn {
 protected:
    resumed_whole_turn() { server_options.tokens_per_second = 0; }

    /// A turn that was generated to its end, and heard up to "I am".
    conversation interrupt_whole_turn() {
        auto talk = bots->create();
        auto options = config.client.generation;
        options.grammar = "root ::= .*";
        talk.append({.role = "user", .content = "And you?"});
        consumer reply(talk.generate(options), consumer::do_not_continue);
        loop.run_to_end(reply);
        talk.heard(reply.chunks().front().id, 4);
        talk.interrupt();
        return talk;
    }
    void expect_rest(conversation& talk) {
        consumer rest(talk.resume());
        loop.run_to_end(rest);
        EXPECT_FALSE(rest.error()) << rest.result().diagnostics.to_string();
        EXPECT_EQ(rest.text(), " well, too.");
    }
};

TEST_F(resumed_whole_turn, is_spoken_on) {
    start();
    auto talk = interrupt_whole_turn();
    expect_rest(talk);
}

TEST_F(resumed_whole_turn, needs_no_server) {
    start();
    auto talk = interrupt_whole_turn();
    const auto asked_before = completions(server()).size();
    bots->drain_server(server().url());
    expect_rest(talk);
    EXPECT_THAT(completions(server()), SizeIs(asked_before));
}

}  // namespace
}  // namespace tandem::testing

// Conversations on several servers: the assignment of slots, and servers that come and go.

#include "service_fixture.hpp"
#include "support/http_probe.hpp"
#include "support/slot_overlaps.hpp"

#include <set>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

using health = server_status::health;

class a_service : public service_and_mocks {
 protected:
    std::vector<conversation> many(int count) {
        std::vector<conversation> list;
        for (int i = 0; i < count; ++i) list.push_back(bots->create());
        return list;
    }
    std::vector<consumer> ask_all(std::vector<conversation>& talks) {
        std::vector<consumer> replies;
        for (auto& talk : talks) replies.emplace_back(talk.say("Hello!"));
        return replies;
    }
    /// The server stalls after the first chunk of its first answer.
    void first_reply_keeps_the_only_slot() {
        server_options.parallel = 1;
        server_options.faults = {{.kind = mock::fault_kind::stall, .at_token = 5}};
    }
    void run_all(const std::vector<consumer>& replies) {
        loop.run_until([&] {
            return std::all_of(replies.begin(), replies.end(), [](auto& r) { return r.ended(); });
        });
    }
};

TEST_F(a_service, refuses_a_configuration_with_every_fault_named) {
    config.servers = {"ftp://somewhere", "http://a:1", "http://a:1"};
    config.health_interval = 1ms;
    config.conversation.trim_slack = 7;
    std::set<std::string> fields;
    for (const auto& fault : check(config)) fields.insert(fault.field);
    EXPECT_THAT(fields, ElementsAre("health_interval", "servers", "trim_slack"));
    EXPECT_THROW(service(loop.ioc.get_executor(), config), config_error);
}

TEST_F(a_service, serves_more_conversations_than_it_has_slots) {
    start();
    auto talks = many(12);
    const auto replies = ask_all(talks);
    run_all(replies);
    for (const auto& r : replies) {
        EXPECT_FALSE(r.error()) << r.result().diagnostics.to_string();
        EXPECT_EQ(r.text(), "Hello. How are you? I am very well today, thank you.");
    }
    EXPECT_THAT(slot_overlaps(server().observe()), IsEmpty());
    for (const auto& request : completions(server())) {
        EXPECT_GE(request.id_slot, 0) << "each request names its slot";
        EXPECT_FALSE(request.deferred);
    }
}

// Shows that the test above can fail: two independent clients do use one slot at the same time.
TEST_F(a_service, does_not_know_of_another_processes_requests) {
    server_options.parallel = 1;
    // The second request arrives while the first one runs, however slow the machine is.
    server_options.tokens_per_second = 2;
    start();
    http_probe other(server().url());
    const auto running =
        other.start({{"prompt", asked("Hello!")}, {"id_slot", 0}, {"stream", true}});
    ASSERT_TRUE(other.wait_for_events(*running, 1));
    auto talk = bots->create();
    consumer reply(talk.say("Hello!"));
    ASSERT_TRUE(loop.run_until([&] { return completions(server()).size() == 2; }));
    EXPECT_THAT(slot_overlaps(server().observe()), Not(IsEmpty()));
}

TEST_F(a_service, lets_a_turn_have_the_slot_of_a_reply_that_rests) {
    server_options.parallel = 1;
    config.client.pacing.mode = pacing::strict;
    start();
    auto talks = many(2);
    auto first = say_until_first_chunk(talks[0], "Hello!");
    consumer second(talks[1].say("And you?"));
    loop.run_to_end(second);
    EXPECT_EQ(second.text(), "I am well, too.");
    EXPECT_FALSE(first.ended());
}

TEST_F(a_service, refuses_one_more_than_may_wait) {
    first_reply_keeps_the_only_slot();
    config.client.limits.queue_limit = 1;
    start();
    auto talks = many(3);
    auto first = say_until_first_chunk(talks[0], "Hello!");
    consumer second(talks[1].say("And you?"));
    loop.run_until([&] { return servers()[0].waiting == 1; });
    consumer third(talks[2].say("And you?"));
    loop.run_to_end(third);
    expect_error(third, errc::queue_full);
    EXPECT_FALSE(second.ended());
}

TEST_F(a_service, lets_nobody_wait_for_a_slot_longer_than_the_limit) {
    first_reply_keeps_the_only_slot();
    config.client.limits.queue_timeout = 50ms;
    start();
    auto talks = many(2);
    auto first = say_until_first_chunk(talks[0], "Hello!");
    const auto second = say(talks[1], "And you?");
    expect_error(second, errc::queue_timeout);
}

TEST_F(a_service, frees_the_slots_of_a_conversation_that_ends) {
    first_reply_keeps_the_only_slot();
    start();
    auto talks = many(2);
    auto first = say_until_first_chunk(talks[0], "Hello!");
    consumer second(talks[1].say("And you?"));
    loop.run_until([&] { return servers()[0].waiting == 1; });
    talks[0].end();
    loop.run_to_end(second);
    EXPECT_EQ(second.text(), "I am well, too.");
    EXPECT_EQ(servers()[0].conversations, 1);
}

TEST_F(a_service, finds_each_conversations_slot_again) {
    server_options.parallel = 3;
    config.client.pacing.mode = pacing::strict;
    for (int i = 0; i < 3; ++i)
        answers_with("I am number " + std::to_string(i) + ".",
                     "Welcome, number " + std::to_string(i));
    start();
    auto talks = many(3);
    for (int i = 0; i < 3; ++i)
        say(talks[static_cast<std::size_t>(i)], "I am number " + std::to_string(i) + ".");
    const auto asked_before = completions(server()).size();
    for (const auto i : {2u, 0u, 1u}) say(talks[i], "And you?");
    const auto requests = completions(server());
    for (auto i = asked_before; i < requests.size(); ++i)
        EXPECT_GT(requests[i].cached, requests[i].evaluated) << i;
}

TEST_F(a_service, takes_its_servers_in_turn) {
    config.placement = placement::round_robin;
    start(3);
    auto talks = many(6);
    for (auto& talk : talks) say(talk, "And you?");
    for (const auto& s : servers()) EXPECT_EQ(s.conversations, 2) << s.url;
    const auto at = state_of(talks[0]).server;
    say(talks[0], "And you?");
    EXPECT_EQ(state_of(talks[0]).server, at) << "a conversation stays where it is";
}

TEST_F(a_service, continues_a_saved_conversation_on_the_server_that_has_its_text) {
    config.placement = placement::round_robin;
    start(2);
    auto talk = bots->create();
    say(talk, "Hello!");
    const auto at = state_of(talk).server;
    const auto saved = loop.call<std::string>([&](auto h) { talk.async_save(std::move(h)); });
    error_code ec;
    auto loaded = bots->load(saved.second, ec);
    ASSERT_TRUE(loaded) << ec.message();
    say(*loaded, "And you?");
    EXPECT_EQ(state_of(*loaded).server, at);
}

TEST_F(a_service, saves_no_credentials_of_a_server) {
    mocks.push_back(std::make_unique<mock::server>(server_options));
    auto url = server().url();
    config.servers = {url.insert(url.find("://") + 3, "bot:secret@")};
    bots.emplace(loop.ioc.get_executor(), config, instruments);
    auto talk = bots->create();
    say(talk, "Hello!");
    const auto saved = loop.call<std::string>([&](auto h) { talk.async_save(std::move(h)); });
    EXPECT_THAT(saved.second, AllOf(HasSubstr(server().url()), Not(HasSubstr("secret"))));
}

TEST_F(a_service, prefers_the_server_that_has_the_least_to_do) {
    start(2);
    auto talks = many(3);
    auto first = say_until_first_chunk(talks[0], "Hello!");
    say(talks[1], "And you?");
    EXPECT_NE(state_of(talks[0]).server, state_of(talks[1]).server);
}

TEST_F(a_service, lets_conversations_of_a_dead_server_go_to_another) {
    config.placement = placement::round_robin;
    start(2);
    auto talks = many(1);
    say(talks[0], "Hello!");
    const auto before = state_of(talks[0]).server;
    server(before == server(0).url() ? 0 : 1).stop();
    EXPECT_EQ(say(talks[0], "And you?").text(), "I am well, too.");
    const auto state = state_of(talks[0]);
    EXPECT_NE(state.server, before);
    EXPECT_EQ(state.metrics.moves, 1);
    EXPECT_THAT(state.history, SizeIs(4));
}

TEST_F(a_service, reports_which_server_made_each_chunk_of_a_reply_that_continued_elsewhere) {
    config.placement = placement::round_robin;
    config.client.pacing.mode = pacing::strict;
    start(2);
    auto talks = many(1);
    const auto reply = say(talks[0], "Hello!", [this](consumer& c, const chunk& piece) {
        if (piece.id.seq == 0) server(0).stop();
        c.go_on(piece);
    });
    EXPECT_EQ(reply.chunks().front().metrics.server, server(0).url());
    EXPECT_EQ(reply.chunks().back().metrics.server, server(1).url());
    EXPECT_THAT(reply.result().servers, ElementsAre(server(0).url(), server(1).url()));
    for (const auto& e : reply.result().timeline) {
        if (e.what != timeline_event::kind::chunk) continue;
        EXPECT_EQ(e.server, e.chunk == 0 ? 0 : 1);
    }
    EXPECT_EQ(state_of(talks[0]).metrics.moves, 1);
}

TEST_F(a_service, tries_a_server_again_that_was_not_there_at_an_earlier_turn) {
    start();
    server_options.port = server().port();
    server().stop();
    auto early = bots->create();
    expect_error(say(early, "Hello!"), errc::connect_failed);
    mocks.front() = std::make_unique<mock::server>(server_options);
    auto talk = bots->create();
    EXPECT_EQ(say(talk, "And you?").text(), "I am well, too.");
}

TEST_F(a_service, reports_why_no_server_can_be_had) {
    start();
    auto talk = bots->create();
    say(talk, "Hello!");
    server().stop();
    loop.run_until(
        [&] { return servers()[0].state == health::down || say(talk, "And you?").error(); });
    loop.run_until([&] { return servers()[0].state == health::down; });
    const auto reply = say(talk, "And you?");
    expect_error(reply, errc::no_model);
    EXPECT_THAT(reply.result().diagnostics.client_message, HasSubstr(server().url() + " is down"));
}

TEST_F(a_service, fails_a_turn_at_once_if_all_servers_are_drained) {
    config.client.failover.resume_within = 1h;
    start(2);
    auto talk = bots->create();
    say(talk, "Hello!");
    for (const auto& s : servers()) bots->drain_server(s.url);
    const auto reply = say(talk, "And you?");
    expect_error(reply, errc::no_model);
    EXPECT_THAT(
        reply.result().diagnostics.client_message,
        AllOf(StartsWith("every server is drained"), HasSubstr(server(1).url() + " is drained")));
}

TEST_F(a_service, waits_for_a_server_that_loads_its_model_to_be_up) {
    config.watch_always = true;
    config.health_interval = 100ms;
    config.client.failover.resume_within = 30s;
    server_options.load_time = 300ms;
    start();
    auto talk = bots->create();
    loop.run_until([&] { return servers()[0].state == health::loading; });
    EXPECT_EQ(say(talk, "And you?").text(), "I am well, too.");
}

TEST_F(a_service, finishes_the_replies_of_a_server_that_is_removed) {
    start(2);
    auto talk = bots->create();
    auto reply = say_until_first_chunk(talk, "Hello!");
    const auto at = state_of(talk).server;
    bots->remove_server(at);
    loop.run_until(
        [&] { return servers().size() == 2 && (servers()[0].draining || servers()[1].draining); });
    go_on_to_the_end(reply);
    EXPECT_EQ(reply.text(), "Hello. How are you? I am very well today, thank you.");
    loop.run_until([&] { return servers().size() == 1; });
    say(talk, "And you?");
    EXPECT_NE(state_of(talk).server, at);
}

TEST_F(a_service, keeps_a_server_whose_url_is_spelt_another_way_when_reloaded) {
    start();
    auto talk = bots->create();
    auto reply = say_until_first_chunk(talk, "Hello!");
    bots->reload({server().url() + "/"});
    go_on_to_the_end(reply);
    EXPECT_EQ(reply.text(), "Hello. How are you? I am very well today, thank you.");
    ASSERT_EQ(servers().size(), 1u);
    EXPECT_FALSE(servers()[0].draining);
}

TEST_F(a_service, ends_replies_that_take_too_long_on_a_server_that_is_removed) {
    config.client.failover.resume_within = 10ms;
    config.client.pacing.mode = pacing::strict;
    start();
    auto talk = bots->create();
    auto reply = say_until_first_chunk(talk, "Hello!");
    bots->remove_server(server().url(), 0s);
    loop.run_until([&] { return servers().empty(); });
    EXPECT_FALSE(reply.ended()) << "the voice is still speaking";
    reply.go_on(reply.chunks()[0]);
    loop.run_to_end(reply);
    expect_error(reply, errc::no_model);
    EXPECT_EQ(message(talk, -1), "Hello.") << "what was handed over was spoken";
}

TEST_F(a_service, finishes_replies_elsewhere_that_take_too_long_on_a_server_that_is_removed) {
    config.client.pacing.mode = pacing::strict;
    start(2);
    auto talk = bots->create();
    auto reply = say_until_first_chunk(talk, "Hello!");
    const auto at = state_of(talk).server;
    bots->remove_server(at, 0s);
    loop.run_until([&] { return servers().size() == 1; });
    go_on_to_the_end(reply);
    EXPECT_EQ(reply.text(), "Hello. How are you? I am very well today, thank you.");
    EXPECT_NE(state_of(talk).server, at);
}

TEST_F(a_service, has_the_slots_of_a_server_that_is_removed_during_a_prefill_and_added_again) {
    server_options.parallel = 1;
    server_options.prompt_tokens_per_second = 100;
    config.client.limits.queue_timeout = 500ms;
    start();
    auto idle = bots->create();  // keeps the link to its server alive
    say(idle, "And you?");
    std::string words;
    for (int i = 0; i < 50; ++i) words += " very";
    auto talk = bots->create({.messages = {{.role = "system", .content = "Be" + words}}});
    talk.warm();
    loop.run_until([&] {
        return completions(server()).back().prompt.ends_with(words +
                                                             "<|im_end|>\n<|im_start|>assistant\n");
    });
    const auto url = server().url();
    bots->remove_server(url, 0s);
    loop.run_until([&] { return servers().empty(); });
    bots->add_server(url);
    EXPECT_FALSE(say(talk, "And you?").error());
}

TEST_F(a_service, polls_the_slots_of_a_server_that_is_removed_during_a_poll_and_added_again) {
    config.client.server.verify_cut = true;
    server_options.tokens_per_second = 50;
    server_options.faults = {
        {.kind = mock::fault_kind::slow_headers, .duration = 1min, .path = "/slots"}};
    start();
    auto idle = bots->create();  // keeps the link to its server alive
    auto cut = say_until_first_chunk(idle, "Hello!");
    interrupt(idle, cut);
    loop.run_until([&] { return !server().observe().of_path("/slots").empty(); });
    const auto url = server().url();
    bots->remove_server(url, 0s);
    loop.run_until([&] { return servers().empty(); });
    bots->add_server(url);
    auto talk = bots->create();
    auto other = say_until_first_chunk(talk, "Hello!");
    interrupt(talk, other);
    EXPECT_TRUE(loop.run_until([&] { return log.count(log_level::debug, "after the cut") > 0; }));
}

TEST_F(a_service, keeps_its_conversations_when_the_list_is_another) {
    start(2);
    auto talk = bots->create();
    say(talk, "Hello!");
    const auto other = state_of(talk).server == server(0).url() ? server(1).url() : server(0).url();
    bots->reload({other});
    EXPECT_EQ(say(talk, "And you?").text(), "I am well, too.");
    EXPECT_EQ(state_of(talk).server, other);
    EXPECT_THAT(state_of(talk).history, SizeIs(4));
    EXPECT_THAT(servers(), SizeIs(1));
}

TEST_F(a_service, empties_slots_between_conversations_that_are_isolated) {
    server_options.parallel = 1;
    server_options.slot_actions = true;
    config.conversation.isolate = true;
    config.client.pacing.mode = pacing::strict;
    start();
    auto talks = many(2);
    say(talks[0], "Hello!");
    say(talks[1], "Hello!");
    const auto requests = completions(server());
    const auto second = std::find_if(requests.begin() + 1, requests.end(),
                                     [&](auto& r) { return r.prompt == requests[0].prompt; });
    ASSERT_NE(second, requests.end());
    EXPECT_EQ(second->cached, 0) << "no slot holds the prompt any more";
}

TEST_F(a_service, empties_the_slot_of_an_isolated_conversation_that_ends_while_another_waits) {
    first_reply_keeps_the_only_slot();
    server_options.slot_actions = true;
    config.conversation.isolate = true;
    start();
    std::optional<conversation> first(bots->create());
    auto second = bots->create();
    const auto reply = say_until_first_chunk(*first, "Hello!");
    consumer waiting(second.say("Hello!"));
    loop.run_until([&] { return servers()[0].waiting == 1; });
    first.reset();
    loop.run_to_end(waiting);
    EXPECT_EQ(waiting.chunks().at(0).text, "Hello.");
    const auto requests = completions(server());
    EXPECT_EQ(requests.at(1).cached, 0) << "no slot holds the first prompt any more";
}

TEST_F(a_service, uses_no_cache_of_an_isolated_conversation_that_cannot_be_erased) {
    server_options.parallel = 1;
    config.conversation.isolate = true;
    start();
    auto talks = many(2);
    say(talks[0], "And you?");
    say(talks[1], "And you?");
    EXPECT_EQ(completions(server()).back().cached, 0);
    EXPECT_EQ(log.count(log_level::warning, "not erased"), 1u);
}

TEST_F(a_service, leaves_the_loop_no_work_once_its_conversations_are_gone) {
    start();
    {
        auto talk = bots->create();
        say(talk, "And you?");
    }
    boost::asio::io_context idle;
    service other(idle.get_executor(), config, instruments);
    { auto talk = other.create(); }
    idle.run_for(reply_runner::patience);
    EXPECT_TRUE(idle.stopped()) << "it has work left";
}

}  // namespace

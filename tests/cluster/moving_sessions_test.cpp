// Voice sessions that another gateway resumes.

#include "cluster/moving_sessions_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace tandem;
using namespace tandem::testing;
using namespace std::chrono_literals;
using nlohmann::json;

TEST_F(moving_sessions, continue_when_their_gateway_is_killed) {
    auto a = make_gateway();
    auto b = make_gateway();
    auto* now = a.get();
    voice_listener l([&] { return now->port(); });
    l.on_chunk = [&](int chunks) {
        if (chunks != 5) return;
        now = b.get();
        a->kill();
    };
    EXPECT_EQ(l.ask(question), story);
    EXPECT_EQ(l.fault(), "");
    EXPECT_EQ(l.lost(), 1);
}

TEST_F(moving_sessions, are_reported_to_other_gateways_as_load) {
    const auto a = make_gateway();
    voice_listener l([&] { return a->port(); });
    EXPECT_EQ(l.ask(question), story);
    connect(link);
    EXPECT_TRUE(run_until(
        [this] { return read_load("sessions talk") == 1 && read_load("demand talk") > 0; }));
    EXPECT_TRUE(run_until([this] { return read_load("conversations " + server_) == 1; }));
}

// This gateway sends one request at a time to 64 slots, so its own requests do not show the speed
// of all slots.
TEST_F(moving_sessions, show_the_speed_of_a_server_together_with_requests_of_other_gateways) {
    connect(link);
    add_other_gateway({{"running " + server_, 60}});
    const auto a = make_gateway();
    voice_listener l([&] { return a->port(); });
    double running = 0;
    EXPECT_TRUE(poll_until([&] {
        l.ask(question);
        running = std::max(running, read_load("running " + server_));
        return running > 0 && read_load("supply talk") > 0;
    }));
}

TEST_F(moving_sessions, are_refused_while_the_voices_of_other_gateways_need_all_servers) {
    connect(link);
    add_other_gateway(
        {{"demand talk", 320}, {"sessions talk", 96}, {"supply talk", 330}, {"observers talk", 1}});
    const auto a = make_gateway();
    EXPECT_TRUE(poll_until([&] {
        voice_client c(a->port());
        c.say({{"type", "start"}, {"text", question}});
        return c.read()["code"] == "overloaded";
    }));
}

// A gateway watches the slots of a killed gateway for a second, so the test needs several gateways.
TEST_F(moving_sessions, lose_no_word_by_10_kills) {
    std::mt19937 random(17);
    const auto draw = [&](int most) { return std::uniform_int_distribution(0, most)(random); };
    std::deque<std::unique_ptr<gateway_process>> gateways;
    for (int i = 0; i < 6; ++i) gateways.push_back(make_gateway());
    for (int i = 0; i < 10; ++i) {
        voice_listener l([&] { return gateways.front()->port(); });
        const int when = 1 + draw(20);
        const bool is_while_speaking = draw(1) == 0;
        const auto kill = [&](int chunks) {
            if (chunks != when || l.lost() > 0) return;
            std::this_thread::sleep_for(std::chrono::microseconds(draw(3000)));
            gateways.front()->kill();
            gateways.pop_front();
        };
        (is_while_speaking ? l.on_chunk : l.on_continued) = kill;
        EXPECT_EQ(l.ask(question), story) << "killed after chunk " << when;
        EXPECT_EQ(l.fault(), "");
        EXPECT_EQ(l.lost(), 1);
        gateways.push_back(make_gateway());
    }
}

TEST_F(moving_sessions, can_be_taken_from_a_gateway_that_runs) {
    const auto a = make_gateway();
    const auto b = make_gateway();
    voice_client first(a->port());
    first.say({{"type", "start"}, {"turn", "t1"}, {"text", question}});
    const auto session = first.read("ready")["session"];
    const auto chunk = first.read("chunk");
    std::string heard = chunk["text"];

    voice_client second(b->port());
    json start{{"type", "start"}, {"session", session}};
    start["last"] = {{"chunk", chunk["id"]}, {"text", heard}, {"share", 1}};
    second.say(start);
    const auto ready = second.read();
    EXPECT_EQ(ready["resumed"], true);
    EXPECT_EQ(ready["turns"], json({"t1", "t1"}));
    EXPECT_EQ(second.read()["finish_reason"], "interrupted");
    const auto next = second.read("chunk");
    EXPECT_EQ(next["turn"], "t1");
    EXPECT_TRUE(story.starts_with(heard + next["text"].get<std::string>())) << next;

    first.say({{"type", "continue"}, {"chunk", chunk["id"]}});
    EXPECT_EQ(first.close_code(), 4001);
    second.say({{"type", "interrupt"}});
    EXPECT_EQ(second.read("end")["finish_reason"], "interrupted");
}

// The record is long, so that writing it takes a while. The second client does not report which
// text it has received.
TEST_F(moving_sessions, have_each_chunk_that_a_gateway_that_runs_has_sent) {
    const auto a = make_gateway();
    const auto b = make_gateway();
    voice_client first(a->port());
    voice_client second(b->port());
    const json long_options{{"unknown", std::string(200'000, 'x')}};
    first.say({{"type", "start"}, {"turn", "t1"}, {"text", question}, {"options", long_options}});
    const auto session = first.read("ready")["session"];
    const auto chunk = first.read("chunk");
    second.say({{"type", "start"},
                {"session", session},
                {"last", {{"chunk", chunk["id"]}, {"speaking", true}}}});
    const auto ready = second.read();
    EXPECT_EQ(ready["type"], "ready") << ready;
    EXPECT_EQ(ready["turns"], json({"t1", "t1"}));
    EXPECT_EQ(first.close_code(), 4001);
}

TEST_F(moving_sessions, are_found_by_a_client_that_returns_while_another_gateway_takes_them) {
    const auto a = make_gateway();
    connect(link);
    voice_client first(a->port());
    first.say({{"type", "start"}});
    const std::string id = first.read("ready")["session"];
    const auto hash = "session:" + id;
    const auto written = [&] { return read_store(hash, "written"); };
    ASSERT_TRUE(poll_until([&] { return !written().empty(); }));
    ask(link, {"HSET", "tdm:tandem:" + hash, "written", "0"});
    first.drop();
    ASSERT_TRUE(poll_until([&] { return written() != "0"; }));
    voice_client second(a->port());
    a->suspend();
    second.say({{"type", "start"}, {"session", id}});
    ask(link, {"PUBLISH", read_store("processes", "g1"), "release " + id});
    a->resume();
    EXPECT_EQ(second.read()["resumed"], true);
}

TEST_F(moving_sessions, are_not_taken_from_a_client_by_a_connection_that_was_closed) {
    const auto a = make_gateway();
    const auto b = make_gateway();
    connect(link);
    voice_client first(a->port());
    first.say({{"type", "start"}, {"text", question}});
    const auto session = first.read("ready")["session"];
    const auto chunk = first.read("chunk");
    int requests = 0;
    cluster::store_link messages{loop.get_executor(), options_of(store), {}};
    messages.set_message_handler([&](const auto&, const auto&) { ++requests; });
    messages.subscribe(read_store("processes", "g1"));
    connect(messages);

    voice_client closed(b->port());
    voice_client second(b->port());
    a->suspend();
    closed.say({{"type", "start"}, {"session", session}});
    EXPECT_TRUE(run_until([&] { return requests >= 4; })) << "the next one is sent 40 ms later";
    closed.send("", true);
    EXPECT_EQ(closed.read()["code"], "binary_message");
    second.say({{"type", "start"},
                {"session", session},
                {"last", {{"chunk", chunk["id"]}, {"speaking", true}}}});
    a->resume();
    second.say({{"type", "continue"}, {"chunk", chunk["id"]}});
    EXPECT_EQ(chunk["text"].get<std::string>() + hear(second), story);
}

TEST_F(moving_sessions, return_to_a_gateway_with_what_was_said_elsewhere) {
    const auto a = make_gateway();
    const auto b = make_gateway();
    voice_client first(a->port());
    first.say({{"type", "start"}, {"text", question}});
    const auto session = first.read("ready")["session"];
    const auto told = first.read("chunk");
    first.drop();

    voice_client second(b->port());
    second.say({{"type", "start"}, {"session", session}});
    second.read("ready");
    const auto again = second.read("chunk");
    EXPECT_EQ(again["text"], told["text"]) << "the client did not say that it was heard";
    second.say({{"type", "continue"}, {"chunk", again["id"]}});
    const auto spoken = second.read("chunk");
    const auto heard = again["text"].get<std::string>() + spoken["text"].get<std::string>();
    second.drop();

    voice_client third(a->port());
    json start{{"type", "start"}, {"session", session}};
    start["last"] = {{"chunk", spoken["id"]}, {"text", heard}, {"speaking", true}};
    third.say(start);
    EXPECT_EQ(third.read()["resumed"], true);
    const auto next = third.read("chunk")["text"].get<std::string>();
    EXPECT_TRUE(story.starts_with(heard + next)) << next;
}

TEST_F(moving_sessions, read_a_result_that_comes_after_the_move) {
    const auto a = make_gateway();
    const auto b = make_gateway();
    voice_client first(a->port());
    first.say({{"type", "start"}, {"text", "What time is it?"}, {"options", {{"tools", tools}}}});
    const auto session = first.read("ready")["session"];
    const auto call = first.read("call")["id"];
    first.say({{"type", "result"}, {"call", call}, {"later", true}});
    first.say({{"type", "continue"}, {"chunk", first.read("chunk")["id"]}});
    EXPECT_EQ(first.read("end")["finish_reason"], "eos");
    a->terminate();
    EXPECT_EQ(first.close_code(), 4012);

    voice_client second(b->port());
    second.say({{"type", "start"}, {"session", session}});
    second.say({{"type", "result"}, {"call", call}, {"content", "noon"}});
    second.say({{"type", "start"}, {"text", "And?"}});
    EXPECT_EQ(second.read("chunk")["text"], "It is noon.");
}

TEST_F(moving_sessions, leave_a_gateway_that_waits_for_their_functions_no_longer) {
    const auto a = std::make_unique<gateway_process>(options(), 100ms);
    const auto b = make_gateway();
    voice_client first(a->port());
    first.say({{"type", "start"}, {"text", "What time is it?"}, {"options", {{"tools", tools}}}});
    const auto session = first.read("ready")["session"];
    const auto call = first.read("call")["id"];
    a->terminate();
    EXPECT_EQ(first.close_code(), 4012);

    voice_client second(b->port());
    second.say({{"type", "start"}, {"session", session}});
    const auto ready = second.read();
    ASSERT_EQ(ready["resumed"], true) << ready;
    EXPECT_EQ(second.read("call_dropped")["call"], call);
}

TEST_F(moving_sessions, are_charged_for_the_reply_that_a_move_interrupts) {
    const auto file = files_.name() + "/audit.jsonl";
    auto audited = options();
    audited.audit = [file](std::string_view line) {
        std::ofstream(file, std::ios::app) << line << '\n';
    };
    gateway_process a(std::move(audited));
    voice_client c(a.port());
    c.say({{"type", "start"}, {"text", question}});
    c.read("chunk");
    a.terminate();
    EXPECT_EQ(c.close_code(), 4012);
    EXPECT_EQ(a.wait(), 0);
    std::ifstream lines(file);
    const std::string audit{std::istreambuf_iterator<char>(lines), {}};
    EXPECT_THAT(audit, ::testing::HasSubstr(R"("finish_reason":"interrupted")"));
}

TEST_F(moving_sessions, of_another_key_or_none_are_not_found) {
    const auto a = make_gateway();
    voice_client c(a->port());
    c.say({{"type", "start"}, {"session", "nobody_has_this_id_000"}});
    EXPECT_EQ(c.read()["code"], "session_not_found");
    c.say({{"type", "start"}, {"text", question}});
    EXPECT_EQ(c.read()["resumed"], false) << "the connection stays open";
}

TEST_F(moving_sessions, leave_a_gateway_that_is_stopped_between_two_sentences) {
    constexpr int sessions = 20;
    const auto a = make_gateway();
    const auto b = make_gateway();
    std::atomic<bool> is_stopping = false;
    std::atomic<int> chunks = 0;
    std::vector<std::thread> threads;
    threads.reserve(sessions);
    for (int i = 0; i < sessions; ++i)
        threads.emplace_back([&] {
            voice_listener l([&] { return is_stopping ? b->port() : a->port(); });
            l.on_chunk = [&](int) { ++chunks; };
            EXPECT_EQ(l.ask(question), story);
            EXPECT_EQ(l.fault(), "");
            EXPECT_EQ(l.close_code(), l.lost() > 0 ? 4012 : 0);
        });
    EXPECT_TRUE(poll_until([&] { return chunks >= 5 * sessions; }));
    const auto began = std::chrono::steady_clock::now();
    is_stopping = true;
    a->terminate();
    EXPECT_EQ(a->wait(), 0);
    EXPECT_LT(std::chrono::steady_clock::now() - began, 20s);
    for (auto& t : threads) t.join();
}

}  // namespace

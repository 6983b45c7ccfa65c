// Voice sessions that another gateway resumes after a fault of the store.

#include "cluster/moving_sessions_fixture.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace {

using namespace tandem::testing;

TEST_F(moving_sessions, stay_at_a_gateway_that_is_stopped_until_the_store_has_them_again) {
    const auto a = make_gateway();
    const auto b = make_gateway();
    voice_client c(a->port());
    c.say({{"type", "start"}, {"text", question}});
    const auto session = c.read("ready")["session"];
    auto chunk = c.read("chunk");
    std::string heard = chunk["text"];
    store.kill();
    c.say({{"type", "continue"}, {"chunk", chunk["id"]}});
    chunk = c.read("chunk");
    heard += chunk["text"];
    a->terminate();
    c.say({{"type", "continue"}, {"chunk", chunk["id"]}});
    EXPECT_EQ(heard + hear(c), story);
    store.start();
    EXPECT_EQ(c.close_code(), 4012);
    EXPECT_TRUE(can_resume(*b, session));
}

TEST_F(moving_sessions, delay_the_stop_no_longer_than_allowed_while_the_store_is_away) {
    gateway_process a(options(), 100ms);
    voice_client c(a.port());
    c.say({{"type", "start"}, {"text", question}});
    const auto session = c.read("ready")["session"];
    EXPECT_EQ(c.read("chunk")["type"], "chunk");
    connect(link);
    ASSERT_TRUE(run_until(
        [&] { return !read_store("session:" + session.get<std::string>(), "record").empty(); }));
    store.kill();
    const auto began = std::chrono::steady_clock::now();
    a.terminate();
    EXPECT_NE(c.close_code(), 0);
    EXPECT_EQ(a.wait(), 0);
    EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
}

TEST_F(moving_sessions, survive_a_store_that_has_lost_them_and_then_their_gateway) {
    const auto a = make_gateway();
    const auto b = make_gateway();
    voice_client c(a->port());
    c.say({{"type", "start"}, {"text", question}});
    const auto session = c.read("ready")["session"];
    EXPECT_EQ(hear(c), story);
    connect(link);
    loop.run_for(500ms);  // until the last record is written; later, no change triggers a write
    store.kill();
    ASSERT_TRUE(run_until([this] { return !link.is_connected(); }));
    store.start();
    ASSERT_TRUE(run_until([this] { return link.is_connected(); }));
    const auto hash = "session:" + session.get<std::string>();
    EXPECT_TRUE(run_until([&] { return !read_store(hash, "record").empty(); }, 10s));
    a->kill();
    EXPECT_TRUE(can_resume(*b, session));
}

TEST_F(moving_sessions, are_not_given_up_while_the_store_is_away) {
    const auto a = make_gateway();
    const auto b = make_gateway();
    voice_client first(a->port());
    first.say({{"type", "start"}, {"text", question}});
    const auto session = first.read("ready")["session"];
    EXPECT_EQ(hear(first), story);
    a->kill();
    store.suspend();
    voice_client second(b->port());
    second.say({{"type", "start"}, {"session", session}});
    const auto refused = second.read();
    EXPECT_EQ(refused["code"], "cluster_unavailable") << refused;
    EXPECT_EQ(refused["retryable"], true);
    EXPECT_EQ(refused["retry_after_ms"], 1000);
    store.resume();
    EXPECT_TRUE(can_resume(*b, session));
}

TEST_F(moving_sessions, are_lost_with_a_store_that_stays_away) {
    const auto a = make_gateway();
    connect(link);
    ASSERT_TRUE(run_until([this] { return !read_store("loads", "g1").empty(); }));
    store.kill();
    const auto began = std::chrono::steady_clock::now();
    std::string code;
    EXPECT_TRUE(poll_until([&] {
        voice_client c(a->port());
        c.say({{"type", "start"}, {"session", "nobody_has_this_id_000"}});
        code = c.read()["code"];
        return code != "cluster_unavailable";
    }));
    EXPECT_EQ(code, "session_not_found");
    EXPECT_GT(std::chrono::steady_clock::now() - began, 9s);
}

}  // namespace

// The voice WebSocket from upgrade to shutdown, and hostile clients.

#include "gateway/voice_fixture.hpp"

#include <stdexcept>
#include <string_view>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// --- the upgrade

TEST_F(voice_gateway, asks_for_an_upgrade_if_there_is_none) {
    start();
    const auto a = client().get("/v1/voice");
    EXPECT_EQ(a.status, 426);
    EXPECT_EQ(a.headers.at("upgrade"), "websocket");
    EXPECT_THAT(a.headers.at("connection"), HasSubstr("Upgrade"));
}

TEST_F(voice_gateway, answers_its_own_protocol_or_none) {
    start();
    EXPECT_EQ(voice().header("Sec-WebSocket-Protocol"), "tandem.voice.v1");
    voice_client plain(port, "");
    EXPECT_TRUE(plain.is_open());
    EXPECT_EQ(plain.header("Sec-WebSocket-Protocol"), "");
    EXPECT_EQ(voice_client(port, "chat.v9").status(), 400);
}

TEST_F(voice_gateway, answers_no_protocol_to_a_header_that_offers_none) {
    start();
    voice_client blank(port, " ");
    EXPECT_TRUE(blank.is_open());
    EXPECT_EQ(blank.header("Sec-WebSocket-Protocol"), "");
}

TEST_F(voice_gateway, takes_no_bytes_before_it_has_answered) {
    start();
    http_client c(port);
    c.send(
        "GET /v1/voice HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        "GET /health");
    EXPECT_EQ(c.read_answer().status, 400);
}

class voice_gateway_with_keys : public voice_gateway {
 protected:
    voice_gateway_with_keys() { keys_allow(0); }
    /// Must be called before start(). 0 means no limit.
    void keys_allow(std::int64_t requests_per_minute) {
        options.keys =
            gateway::api_keys({{.name = "reception",
                                .sha256 = *gateway::hash_sha256(mine.key),
                                .requests_per_minute = requests_per_minute,
                                .concurrent = 1},
                               {.name = "kitchen", .sha256 = *gateway::hash_sha256(other.key)}});
    }
    voice_client voice_of(const gateway::new_api_key& key) {
        return voice_client(port, "tandem.voice.v1", "Bearer " + key.key);
    }
    gateway::new_api_key mine = gateway::make_api_key();
    gateway::new_api_key other = gateway::make_api_key();
};

TEST_F(voice_gateway_with_keys, lets_nobody_in_without_one) {
    start();
    EXPECT_EQ(voice().status(), 401);
    EXPECT_EQ(voice_client(port, "tandem.voice.v1", "Bearer " + mine.key + "x").status(), 401);
}

TEST_F(voice_gateway_with_keys, takes_the_key_as_a_protocol_and_does_not_repeat_it) {
    start();
    voice_client c(port, "tandem-api-key." + mine.key + ", tandem.voice.v1");
    ASSERT_TRUE(c.is_open());
    EXPECT_EQ(c.header("Sec-WebSocket-Protocol"), "tandem.voice.v1");
    c.say(start_of("Hello!"));
    EXPECT_EQ(c.read()["type"], "ready");
    EXPECT_EQ(listen(c)["finish_reason"], "eos");
}

TEST_F(voice_gateway_with_keys, hides_sessions_from_other_keys) {
    start();
    auto owner = voice_of(mine);
    owner.say(start_of("Hello!"));
    const auto id = owner.read()["session"];
    auto thief = voice_of(other);
    thief.say({{"type", "start"}, {"session", id}});
    EXPECT_EQ(thief.read()["code"], "session_not_found");
    thief.say({{"type", "start"}});
    EXPECT_EQ(thief.read()["resumed"], false) << "the connection stays open";
    EXPECT_EQ(listen(owner)["finish_reason"], "eos");
}

TEST_F(voice_gateway_with_keys, lets_a_session_talk_over_its_only_reply) {
    server_options.tokens_per_second = 50;
    start();
    auto c = voice_of(mine);
    c.say(start_of("Long"));
    c.read("chunk");
    c.say(start_of("Hello!"));
    EXPECT_EQ(c.read("end")["finish_reason"], "interrupted");
    EXPECT_EQ(listen(c)["finish_reason"], "eos");
}

TEST_F(voice_gateway_with_keys, gives_no_reply_beyond_those_that_a_key_may_have_at_once) {
    start();
    auto one = voice_of(mine);
    one.say(start_of("Long"));
    one.read("chunk");
    auto two = voice_of(mine);
    two.say(start_of("Hello!"));
    const auto refused = two.read("error");
    EXPECT_EQ(refused["code"], "concurrency_limit_exceeded");
    EXPECT_EQ(refused["reply"], "1");
    one.say({{"type", "interrupt"}});
    one.read("end");
    two.say(start_of("Hello!"));
    EXPECT_EQ(listen(two)["finish_reason"], "eos") << "another session may start";
}

TEST_F(voice_gateway_with_keys, leaves_a_reply_its_place_if_the_next_turn_is_refused) {
    keys_allow(1);
    start();
    auto one = voice_of(mine);
    auto two = voice_of(mine);
    one.say(start_of("Long"));
    one.read("chunk");
    one.say({{"type", "start"},
             {"messages", json::array({{{"role", "system"}, {"content", "It is noon."}}})}});
    EXPECT_EQ(one.read("error")["code"], "rate_limit_exceeded");
    two.say(start_of("Hello!"));
    EXPECT_EQ(two.read("error")["code"], "concurrency_limit_exceeded");
}

TEST_F(voice_gateway_with_keys, notes_each_reply_by_the_keys_name) {
    start();
    auto c = voice_of(mine);
    c.say(start_of("Hello!"));
    c.read("ready");
    listen(c);
    end();
    const auto lines = audited();
    ASSERT_EQ(lines.size(), 2u) << "one line for the reply, one for the connection";
    const auto first = json::parse(lines[0]);
    EXPECT_EQ(first["key"], "reception");
    EXPECT_EQ(first["finish_reason"], "eos");
    EXPECT_GT(first["tokens_out"], 5);
    EXPECT_EQ(first["voice_reply"], 1);
    EXPECT_EQ(json::parse(lines[1])["status"], 101);
    for (const auto& line : lines) EXPECT_THAT(line, Not(HasSubstr("Hello!")));
}

// --- hostile clients

TEST_F(voice_gateway, wants_a_start_first) {
    start();
    auto c = voice();
    c.say({{"type", "resume"}});
    EXPECT_EQ(c.read()["code"], "no_session");
    c.send("{");
    EXPECT_EQ(c.read()["code"], "invalid_json");
}

TEST_F(voice_gateway, closes_a_socket_for_a_message_that_is_too_large_after_naming_the_limit) {
    options.voice.message_bytes = 1024;
    start();
    auto c = voice();
    c.send(std::string(1024, ' '));
    EXPECT_EQ(c.read()["code"], "invalid_json");
    c.send(std::string(1'000'000, 'x'));
    const auto why = c.read();
    EXPECT_EQ(why["code"], "message_too_large");
    EXPECT_EQ(why["fatal"], true);
    EXPECT_EQ(why["message"],
              "the message exceeds limits.message_bytes, 1024 bytes; send less in one message");
    EXPECT_EQ(c.close_code(), 1009);
    EXPECT_EQ(client().get("/health").status, 200);
}

TEST_F(voice_gateway, closes_a_socket_for_a_binary_message) {
    start();
    auto c = voice();
    c.send("{}", true);
    EXPECT_EQ(c.read()["fatal"], true);
    EXPECT_EQ(c.close_code(), 1003);
}

TEST_F(voice_gateway, closes_a_socket_for_too_many_messages_and_keeps_its_session) {
    options.voice.message_burst = 3;
    options.voice.messages_per_second = 0.001;
    start();
    auto c = voice();
    c.say({{"type", "start"}});
    const auto id = c.read()["session"];
    for (int i = 0; i < 3; ++i) c.say({{"type", "dance"}});
    EXPECT_EQ(c.read()["code"], "unknown_type");
    EXPECT_EQ(c.read()["code"], "unknown_type");
    EXPECT_EQ(c.read()["code"], "too_many_messages");
    EXPECT_EQ(c.close_code(), 4029);
    auto again = voice();
    again.say({{"type", "start"}, {"session", id}});
    EXPECT_EQ(again.read()["resumed"], true);
}

// The other client must keep reading, because it answers pings only while it reads.
TEST_F(voice_gateway, gives_up_a_client_that_is_silent_and_no_other) {
    options.voice.silence = 2s;
    start();
    auto other = voice();
    auto heard = std::async(std::launch::async, [&] { return other.close_code(); });
    http_client silent(port);
    silent.send(
        "GET /v1/voice HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    EXPECT_TRUE(silent.read_until("the client is silent"));
    const auto stopped = stop();
    EXPECT_EQ(heard.get(), 1012) << "not before it stopped";
}

TEST_F(voice_gateway, cuts_off_a_message_that_does_not_come_to_its_end) {
    options.read_timeout = 2s;
    start();
    http_client slow(port);
    slow.send(
        "GET /v1/voice HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    ASSERT_TRUE(slow.read_until("\r\n\r\n"));
    slow.send(std::string("\x81\x90\0\0\0\0{\"", 8));  // a text of 16 bytes, cut off after two
    EXPECT_THAT(slow.read_to_end(), StartsWith("HTTP/1.1 101"));
}

// --- shutdown

TEST_F(voice_gateway, lets_replies_end_when_it_stops) {
    start();
    auto idle = voice();
    idle.say({{"type", "start"}});
    idle.read("ready");
    auto fresh = voice();
    auto busy = voice();
    busy.say(start_of("Hello!"));
    const auto first = busy.read("chunk");
    const auto stopped = stop(1min);
    EXPECT_EQ(idle.close_code(), 1012);
    EXPECT_EQ(fresh.close_code(), 1012);
    busy.say(start_of("And you?"));
    EXPECT_EQ(busy.read()["code"], "gateway_stopping");
    busy.say(spoken(first));
    EXPECT_EQ(listen(busy)["finish_reason"], "eos");
    EXPECT_EQ(busy.close_code(), 1012);
    EXPECT_EQ(stopped.wait_for(120s), std::future_status::ready);
}

TEST_F(voice_gateway, interrupts_replies_that_take_too_long_when_it_stops) {
    start();
    auto c = voice();
    c.say(start_of("Long"));
    c.read("chunk");
    const auto stopped = stop(1ms);
    EXPECT_EQ(c.read("end")["finish_reason"], "interrupted");
    EXPECT_EQ(c.close_code(), 1012);
    EXPECT_EQ(stopped.wait_for(120s), std::future_status::ready);
}

TEST_F(voice_gateway, ends_a_session_that_breaks_and_no_other) {
    options.audit = [](std::string_view line) {
        const bool is_of_turn = line.find(R"("route":"/v1/voice")") != line.npos &&
                                line.find(R"("finish_reason":null)") == line.npos;
        if (is_of_turn) throw std::runtime_error("the disk is full");
    };
    start();
    auto other = voice();
    other.say({{"type", "start"}});
    other.read("ready");
    auto broken = voice();
    broken.say(start_of("Hello!"));
    EXPECT_TRUE(listen(broken).is_null());
    EXPECT_EQ(broken.close_code(), 1011);
    EXPECT_EQ(client().post("/v1/chat/completions", chat()).status, 200);
    other.say(start_of("Hello!"));
    EXPECT_EQ(other.read("chunk")["reply"], "1");
}

TEST_F(voice_gateway, may_be_destroyed_while_sessions_talk) {
    start();
    auto talking = voice();
    talking.say(start_of("Long"));
    talking.read("chunk");
    auto kept = voice();
    kept.say(start_of("Long"));
    kept.read("chunk");
    kept.drop();
    auto fresh = voice();
    end();
    EXPECT_TRUE(talking.read("nothing").is_null());
    EXPECT_TRUE(server_gets_idle());
}

TEST_F(voice_gateway, closes_its_sockets_when_its_loop_was_stopped_before) {
    start();
    auto old = voice();
    old.say(start_of("Long"));
    auto taker = voice();
    taker.say({{"type", "start"}, {"session", old.read()["session"]}});
    taker.read("ready");
    loop.stop();
    thread.join();
    gate.reset();
    loop.restart();
    loop.poll();
    EXPECT_EQ(taker.close_code(), 0);
    EXPECT_TRUE(server_gets_idle());
}

TEST_F(voice_gateway, bears_sockets_that_take_a_session_from_each_other) {
    server_options.tokens_per_second = 400;
    start();
    auto first = voice();
    first.say(start_of("Long"));
    const auto id = first.read()["session"];
    std::vector<std::thread> sockets;
    for (int i = 0; i < 3; ++i)
        sockets.emplace_back([&] {
            for (int n = 0; n < 10; ++n) {
                auto c = voice();
                c.say({{"type", "start"}, {"session", id}});
                c.say({{"type", "interrupt"}});
                c.say(start_of("Long"));
                if (c.read("chunk").is_null()) continue;
                c.drop();
            }
        });
    for (auto& s : sockets) s.join();
    auto last = voice();
    last.say({{"type", "start"}, {"session", id}});
    EXPECT_EQ(last.read()["resumed"], true);
    last.say({{"type", "interrupt"}});
    last.say(start_of("Hello!"));
    json end;
    do end = listen(last);
    while (end.is_object() && end["finish_reason"] == "interrupted");
    EXPECT_EQ(end["finish_reason"], "eos");
}

}  // namespace

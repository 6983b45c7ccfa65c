// Three gateways of a cluster jointly enforce the limits of a key.

#include "gateway/http_client.hpp"
#include "gateway/server/gateway_server.hpp"
#include "gateway/voice_client.hpp"
#include "store_fixture.hpp"
#include "support/poll_until.hpp"
#include "tandem_mock/server.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace tandem::testing;
using tandem::gateway::api_key;
using tandem::gateway::api_keys;
using tandem::gateway::gateway_server;
using clock = std::chrono::steady_clock;

constexpr int gateway_count = 3;
constexpr const char* presented = "Bearer bot-key";

class three_gateways : public store_fixture {
 protected:
    ~three_gateways() override {
        std::promise<void> done;
        boost::asio::post(gate_loop, [&] {
            for (auto& g : gates) g.reset();
            done.set_value();
        });
        done.get_future().wait();
        work.reset();
        thread.join();
    }

    void open(api_key key) {
        key.name = "bot";
        key.sha256 = *tandem::gateway::hash_sha256("bot-key");
        server_options.parallel = 4;
        server_options.add_bos = false;
        server_options.replies.push_back({tandem::mock::render_prompt({{"user", "Hello!"}}),
                                          "Hello. How are you? I am very well today, thank you."});
        server.emplace(server_options);
        for (int i = 0; i < gateway_count; ++i)
            gates[std::size_t(i)].emplace(gate_loop, options_of(i, key));
        thread = std::thread([this] { gate_loop.run(); });
        connect(link);
        ASSERT_TRUE(run_until([&] { return lease_ends().size() == gateway_count; }));
        // Each gateway learns of the others when it next renews its lease.
        const auto last = std::ranges::max(lease_ends());
        ASSERT_TRUE(run_until([&] { return std::ranges::min(lease_ends()) > last; }));
    }

    tandem::gateway::gateway_options options_of(int i, const api_key& key) {
        tandem::gateway::gateway_options o;
        o.port = 0;
        o.model = "talk";
        o.keys = api_keys({key});
        o.service.servers = {server->url()};
        o.service.client.server.proxy = "none";
        o.service.client.chunking.first_chunk_min_tokens = 0;
        o.cluster = {.store = options().address, .gateway_id = fmt::format("gateway-{}", i)};
        return o;
    }

    /// When the lease of each gateway ends, in ms of the store's time.
    std::vector<double> lease_ends() {
        std::vector<double> ends;
        const auto all = ask(link, {"ZRANGE", "tdm:tandem:members", "0", "-1", "WITHSCORES"});
        for (std::size_t i = 1; all && i < all->items.size(); i += 2)
            ends.push_back(std::stod(all->items[i].text));
        return ends;
    }

    std::unique_ptr<http_client> client(int i) {
        auto c = std::make_unique<http_client>(gates[std::size_t(i)]->port());
        c->headers["Authorization"] = presented;
        return c;
    }

    /// Repeatedly sends one request to each gateway at the same time. Returns the number of
    /// admitted requests, and when the last requests were sent.
    std::pair<int, clock::time_point> hammer(std::chrono::seconds span) {
        std::vector<std::unique_ptr<http_client>> clients;
        for (int i = 0; i < gateway_count; ++i) clients.push_back(client(i));
        int admitted = 0;
        const auto end = clock::now() + span;
        auto sent = clock::now();
        while (clock::now() < end) {
            sent = clock::now();
            for (auto& c : clients) c->send_request("POST", "/v1/completions", "{}");
            for (auto& c : clients) {
                const auto status = c->read_answer().status;
                // An admitted request fails with 400 before it needs a server, because it has no
                // prompt.
                EXPECT_TRUE(status == 400 || status == 429) << status;
                admitted += status == 400;
            }
        }
        return {admitted, sent};
    }

    /// Starts a reply. Returns its client, or nullptr if the gateway refuses the reply.
    std::unique_ptr<http_client> begin_reply(int i) {
        auto c = client(i);
        c->headers["Connection"] = "close";
        c->send_request("POST", "/v1/chat/completions", chat());
        return c->read_until("data: ") ? std::move(c) : nullptr;
    }
    static std::string chat() {
        return R"({"model": "talk", "stream": true, "messages": [{"role": "user", "content": "Hello!"}]})";
    }

    tandem::mock::options server_options;
    std::optional<tandem::mock::server> server;
    boost::asio::io_context gate_loop{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{
        gate_loop.get_executor()};
    std::array<std::optional<gateway_server>, gateway_count> gates;
    std::thread thread;
    tandem::cluster::store_link link{loop.get_executor(), options(), {}};
};

double allowed_in(clock::duration span) {
    return 120 * std::chrono::duration<double>(span) / 1min;
}

TEST_F(three_gateways, admit_as_many_requests_as_one) {
    open({.requests_per_minute = 120});
    const auto begin = clock::now();
    const auto [admitted, last] = hammer(10s);
    EXPECT_LE(admitted, 120 + allowed_in(clock::now() - begin));
    EXPECT_GE(admitted, std::floor(120 + allowed_in(last - begin)) - 1);
}

TEST_F(three_gateways, admit_no_more_while_the_store_does_not_answer_nor_afterwards) {
    open({.requests_per_minute = 120});
    store.suspend();
    const auto begin = clock::now();
    const auto admitted = hammer(10s).first;
    EXPECT_LE(admitted, allowed_in(clock::now() - begin) + gateway_count);
    EXPECT_GE(admitted, allowed_in(5s)) << "a gateway still admits its share";
    store.resume();
    const auto later = hammer(5s).first;
    EXPECT_LE(admitted + later, allowed_in(clock::now() - begin) + gateway_count);
    EXPECT_GE(later, 1);
}

TEST_F(three_gateways, count_the_replies_that_run_on_any) {
    server_options.tokens_per_second = 1;
    open({.concurrent = 1});
    auto busy = begin_reply(0);
    ASSERT_TRUE(busy);
    EXPECT_FALSE(begin_reply(1));
    busy->close();
    ASSERT_TRUE(poll_until([&] { return (busy = begin_reply(1)) != nullptr; }));
    EXPECT_FALSE(begin_reply(2));
}

TEST_F(three_gateways, count_the_turns_of_voice_sessions) {
    server_options.tokens_per_second = 2;
    open({.concurrent = 1});
    auto running = begin_reply(1);
    voice_client c(gates[0]->port(), "tandem.voice.v1", presented);
    c.say({{"type", "start"}, {"text", "Hello!"}});
    EXPECT_EQ(c.read("error")["code"], "concurrency_limit_exceeded");
    running->close();
    ASSERT_TRUE(poll_until([&] {
        c.say({{"type", "start"}, {"text", "Hello!"}});
        auto m = c.read();
        while (m["type"] == "ready") m = c.read();
        return m["type"] == "chunk";
    }));
    EXPECT_FALSE(begin_reply(1)) << "the voice still speaks";
    c.say({{"type", "start"}, {"text", "Hello!"}});
    EXPECT_EQ(c.read()["type"], "end");
    EXPECT_EQ(c.read()["type"], "chunk") << "it takes the place of the reply before";
    c.drop();
    EXPECT_TRUE(poll_until([&] { return begin_reply(1) != nullptr; }));
}

TEST_F(three_gateways, draft_a_reply_in_a_voice_session) {
    server_options.tokens_per_second = 2;
    open({.concurrent = 1});
    voice_client c(gates[0]->port(), "tandem.voice.v1", presented);
    c.say({{"type", "start"}, {"text", "Hello!"}});
    c.read("chunk");
    c.say({{"type", "interrupt"}});
    c.read("end");
    const auto is_running = [](const auto& request) {
        return request.outcome == tandem::mock::outcome::running;
    };
    ASSERT_TRUE(server->wait_until(
        [&](const auto& o) { return std::ranges::none_of(o.of_path("/completion"), is_running); }));
    c.say({{"type", "draft"}, {"turn", "t1"}, {"text", "Hello!"}});
    ASSERT_TRUE(server->wait_until([&](const auto& o) {
        const auto last = o.of_path("/completion").back();
        return is_running(last) && last.generated > 0;
    }));
    EXPECT_FALSE(begin_reply(1)) << "the draft counts";
    c.say({{"type", "commit"}, {"turn", "t1"}, {"text", "Hello!"}});
    EXPECT_EQ(c.read("chunk")["turn"], "t1");
}

TEST_F(three_gateways, forget_the_replies_of_one_that_is_gone) {
    server_options.tokens_per_second = 1;
    open({.concurrent = 1});
    auto busy = begin_reply(0);
    ASSERT_TRUE(busy);
    std::promise<void> closed;
    boost::asio::post(gate_loop, [&] {
        gates[0].reset();
        closed.set_value();
    });
    closed.get_future().wait();
    EXPECT_FALSE(begin_reply(1));
    EXPECT_TRUE(poll_until([&] { return begin_reply(1) != nullptr; }));
}

}  // namespace

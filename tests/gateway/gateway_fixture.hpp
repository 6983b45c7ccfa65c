#pragma once

#include "gateway/http_client.hpp"
#include "gateway/server/gateway_server.hpp"
#include "support/poll_until.hpp"
#include "tandem_mock/server.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tandem::testing {

using namespace std::chrono_literals;
using nlohmann::json;

/// A gateway on its own thread, in front of a mock server that answers known user messages. Tests
/// change options before they call start().
class a_gateway : public ::testing::Test {
 protected:
    a_gateway() {
        server_options.add_bos = false;
        options.port = 0;
        options.model = "talk";
        auto& server = options.service.client;
        server.server.proxy = "none";  // tests ignore the machine's proxy settings
        server.server.reuse_guard = 0s;
        server.chunking.first_chunk_min_tokens = 0;
        options.audit = [this](std::string_view line) {
            const std::lock_guard lock(audit_mutex);
            audit.emplace_back(line);
        };
        answers_with("Hello!", story);
    }
    ~a_gateway() override { end(); }

    void answers_with(const std::string& user_text, std::string reply) {
        server_options.replies.push_back(
            {mock::render_prompt({{"user", user_text}}), std::move(reply)});
    }
    void start() {
        mock_server.emplace(server_options);
        options.service.servers = other_servers;
        options.service.servers.push_back(mock_server->url());
        open_gate();
    }
    void open_gate() {
        gate.emplace(loop, options);
        port = gate->port();
        thread = std::thread([this] { loop.run(); });
    }
    /// Runs `f` on the gateway's thread, and waits until it returns.
    template <class Function>
    void on_loop(Function f) {
        std::promise<void> done;
        boost::asio::post(loop, [&] {
            f();
            done.set_value();
        });
        done.get_future().wait();
    }
    void end() {
        if (!thread.joinable()) return;
        on_loop([this] { gate.reset(); });
        work.reset();
        thread.join();
    }

    http_client client() { return http_client(port); }
    static json chat(const std::string& text = "Hello!", json more = json::object()) {
        more["model"] = "talk";
        more["messages"] = json::array({{{"role", "user"}, {"content", text}}});
        return more;
    }
    /// The joined text of a stream's deltas.
    static std::string text_of(const http_answer& a, const std::string& field = "content") {
        std::string text;
        for (const auto& event : a.events()) {
            const auto e = json::parse(event, nullptr, false);
            if (!e.is_object() || e.value("choices", json::array()).empty()) continue;
            text += e["choices"][0].value("delta", json::object()).value(field, "");
        }
        return text;
    }
    /// Waits until the gateway is ready, which requires a healthy server.
    bool is_ready() {
        return poll_until([&] { return client().get("/ready").status == 200; });
    }
    /// Stops the gateway. The future is ready when all connections are closed.
    std::future<void> stop(duration limit = 1min) {
        auto done = std::make_shared<std::promise<void>>();
        auto told = done->get_future();
        on_loop([&] { gate->stop(limit, [done] { done->set_value(); }); });
        return told;
    }

    /// Whether a slot of the server is processing a request at this moment.
    bool server_is_busy() {
        return std::ranges::any_of(mock_server->observe().slots, &mock::slot_record::is_processing);
    }
    /// Waits until the latest reply has a token and is still running.
    bool server_has_begun() {
        return mock_server->wait_until([](const mock::observations& o) {
            const auto asked = o.of_path("/completion");
            return !asked.empty() && asked.back().generated > 0 &&
                   asked.back().outcome == mock::outcome::running;
        });
    }
    /// Waits until the latest reply has this outcome.
    bool server_sees(mock::outcome outcome) {
        return mock_server->wait_until([=](const mock::observations& o) {
            const auto asked = o.of_path("/completion");
            return !asked.empty() && asked.back().outcome == outcome;
        });
    }
    /// The prompt of the latest completion request.
    std::string last_prompt() {
        return mock_server->observe().of_path("/completion").back().prompt;
    }
    bool server_gets_idle() {
        return mock_server->wait_until([](const mock::observations& o) {
            return std::ranges::none_of(o.slots, [](const auto& s) { return s.is_processing; });
        });
    }
    std::vector<std::string> audited() {
        const std::lock_guard lock(audit_mutex);
        return audit;
    }

    static inline const std::string story = "Hello. How are you? I am very well today, thank you.";
    mock::options server_options;
    std::vector<std::string> other_servers;
    gateway::gateway_options options;
    std::optional<mock::server> mock_server;
    boost::asio::io_context loop{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{
        loop.get_executor()};
    std::optional<gateway::gateway_server> gate;
    std::uint16_t port = 0;
    std::thread thread;
    std::mutex audit_mutex;
    std::vector<std::string> audit;
};

}  // namespace tandem::testing

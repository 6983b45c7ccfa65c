// A gateway on several loops, each with a thread of its own, which is one gateway all the same.

#include "gateway/voice_fixture.hpp"
#include "support/poll_until.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class gateway_on_loops : public voice_gateway {
 protected:
    gateway_on_loops() {
        loops = 3;
        server_options.parallel = 8;
        options.service.server.generation.temperature = 0;
        options.audit = [this](std::string_view line) {
            const std::lock_guard lock(audit_mutex);
            audit.emplace_back(line);
            lines_of_[std::this_thread::get_id()].emplace_back(line);
        };
    }

    ~gateway_on_loops() override { end(); }

    /// Of those loops that have written one, the lines of each.
    std::vector<std::vector<std::string>> audited_by_loop() {
        const std::lock_guard lock(audit_mutex);
        std::vector<std::vector<std::string>> all;
        for (const auto& [thread, lines] : lines_of_) all.push_back(lines);
        return all;
    }
    /// How many loops have written a line with this text.
    std::ptrdiff_t loops_with(const std::string& part) {
        return std::ranges::count_if(audited_by_loop(), [&](const auto& lines) {
            return std::ranges::any_of(lines,
                                       [&](const auto& l) { return l.find(part) != l.npos; });
        });
    }
    std::vector<std::unique_ptr<http_client>> clients(std::size_t count) {
        std::vector<std::unique_ptr<http_client>> all;
        for (std::size_t i = 0; i < count; ++i) {
            all.push_back(std::make_unique<http_client>(port));
            if (!key.key.empty()) all.back()->headers["Authorization"] = "Bearer " + key.key;
        }
        return all;
    }
    /// When it returns, each loop has read what was sent to it before.
    void let_all_read() {
        for (auto& c : clients(loops)) EXPECT_EQ(c->get("/health").status, 200);
    }
    /// From now on, each client has one.
    gateway::api_keys a_key(std::int64_t concurrent = 0) {
        if (key.key.empty()) key = gateway::make_api_key();
        return gateway::api_keys({{.name = "bot",
                                   .sha256 = *gateway::hash_of_key(key.key),
                                   .concurrent = concurrent,
                                   .rights = {gateway::right::generate, gateway::right::read,
                                              gateway::right::metrics}}});
    }
    static void ask_for_stream(http_client& c, const std::string& text) {
        c.send_request("POST", "/v1/chat/completions", chat(text, {{"stream", true}}).dump());
    }
    /// In the middle of what they do; no thread runs them any more.
    std::vector<boost::asio::io_context*> stop_loops() {
        std::vector<boost::asio::io_context*> contexts{&loop};
        for (auto& more : more_loops) contexts.push_back(&more.loop);
        for (auto* context : contexts) context->stop();
        thread.join();
        for (auto& more : more_loops) more.end();
        return contexts;
    }
    double figure(const std::string& name, const std::string& label = {}) {
        std::istringstream in(clients(1)[0]->get("/metrics").body);
        double sum = 0;
        for (std::string line; std::getline(in, line);)
            if (line.starts_with(name + "{") || line.starts_with(name + " "))
                if (line.find(label) != line.npos) sum += std::stod(line.substr(line.rfind(' ')));
        return sum;
    }

    gateway::new_api_key key{};

 private:
    std::map<std::thread::id, std::vector<std::string>> lines_of_;
};

TEST_F(gateway_on_loops, spreads_its_connections_evenly) {
    start();
    const auto all = clients(6);
    for (const auto& c : all) EXPECT_EQ(c->get("/health").status, 200);
    ASSERT_TRUE(poll_until([&] { return audited().size() == 6; }));
    EXPECT_THAT(audited_by_loop(), SizeIs(3));
    EXPECT_THAT(audited_by_loop(), Each(SizeIs(2)));
}

TEST_F(gateway_on_loops, has_replies_on_each) {
    start();
    for (const auto& c : clients(3)) {
        const auto a = c->post("/v1/chat/completions", chat("Hello!", {{"temperature", 0.5}}));
        EXPECT_EQ(a.parsed()["choices"][0]["message"]["content"], story) << a.body;
    }
    ASSERT_TRUE(poll_until([&] { return audited().size() == 3; }));
    EXPECT_THAT(audited_by_loop(), SizeIs(3));
}

TEST_F(gateway_on_loops, counts_the_replies_of_a_key_on_all) {
    options.keys = a_key(2);
    server_options.tokens_per_second = 50;
    start();
    const auto all = clients(3);
    for (std::size_t i = 0; i < 2; ++i) ask_for_stream(*all[i], "Long");
    let_all_read();
    const auto refused = all[2]->post("/v1/chat/completions", chat());
    EXPECT_EQ(refused.status, 429);
    EXPECT_THAT(refused.body, HasSubstr("concurrency_limit_exceeded"));
    for (std::size_t i = 0; i < 2; ++i) all[i]->close();
    EXPECT_TRUE(poll_until([&] {
        return all[2]->post("/v1/chat/completions", chat()).status == 200;
    })) << "their places are free again";
}

TEST_F(gateway_on_loops, lets_a_key_ask_elsewhere_as_soon_as_it_is_answered) {
    options.keys = a_key(1);
    start();
    const auto all = clients(3);
    for (std::size_t i = 0; i < 30; ++i)
        EXPECT_EQ(all[i % 3]->post("/v1/chat/completions", chat("Hello!", {{"seed", i}})).status,
                  200);
}

// --- the same question

TEST_F(gateway_on_loops, asks_the_same_question_once) {
    server_options.tokens_per_second = 10;
    start();
    const auto all = clients(3);
    for (const auto& c : all) c->send_request("POST", "/v1/chat/completions", chat().dump());
    std::map<std::string, int> ways;
    for (const auto& c : all) {
        const auto a = c->read_answer();
        EXPECT_EQ(a.parsed()["choices"][0]["message"]["content"], story) << a.body;
        ++ways[a.headers.at("x-tandem-cache")];
    }
    EXPECT_EQ(ways["miss"], 1);
    EXPECT_EQ(ways["joined"], 2);
    EXPECT_EQ(mock_server->observe().of_path("/completion").size(), 1u);
}

TEST_F(gateway_on_loops, answers_a_question_for_others_when_the_first_one_leaves) {
    server_options.tokens_per_second = 40;
    answers_with("Slow", std::string(400, 'x') + ".");
    start();
    const auto all = clients(2);
    all[0]->send_request("POST", "/v1/chat/completions", chat("Slow").dump());
    let_all_read();
    all[1]->send_request("POST", "/v1/chat/completions", chat("Slow").dump());
    let_all_read();
    all[0]->close();
    const auto a = all[1]->read_answer();
    EXPECT_EQ(a.status, 200) << a.body;
    EXPECT_EQ(a.headers.at("x-tandem-cache"), "joined");
    EXPECT_EQ(mock_server->observe().of_path("/completion").size(), 1u);
}

TEST_F(gateway_on_loops, gives_a_kept_answer_on_each) {
    start();
    std::vector<std::string> ways;
    for (const auto& c : clients(4))
        ways.push_back(c->post("/v1/chat/completions", chat()).headers.at("x-tandem-cache"));
    EXPECT_EQ(ways, (std::vector<std::string>{"miss", "hit", "hit", "hit"}));
}

// Who asks, who leaves and the end come in any order.
TEST_F(gateway_on_loops, bears_many_who_ask_the_same_and_leave) {
    server_options.tokens_per_second = 400;
    start();
    std::vector<std::thread> crowd;
    std::atomic<int> answered = 0;
    for (int i = 0; i < 4; ++i)
        crowd.emplace_back([&, i] {
            for (int n = 0; n < 20; ++n) {
                http_client c(port);
                c.send_request("POST", "/v1/chat/completions",
                               chat("Hello!", {{"seed", n / 2}}).dump());
                if ((n + i) % 3 == 0) continue;
                answered += c.read_answer().status == 200;
            }
        });
    for (auto& t : crowd) t.join();
    EXPECT_GE(answered, 4 * 13);
    EXPECT_TRUE(server_gets_idle());
}

// --- voice

TEST_F(gateway_on_loops, takes_up_a_session_of_another_loop_with_its_unheard_chunk) {
    start();
    auto gone = voice();
    gone.say(start_of("Hello!"));
    const auto id = gone.read()["session"];
    gone.say(spoken(gone.read("chunk")));
    const auto unheard = gone.read("chunk");
    gone.drop();
    auto c = voice();
    c.say({{"type", "start"}, {"session", id}});
    EXPECT_EQ(c.read()["resumed"], true);
    EXPECT_EQ(c.read("end")["finish_reason"], "interrupted");
    std::string rest;
    EXPECT_EQ(listen(c, rest)["finish_reason"], "eos");
    EXPECT_EQ(rest, unheard["text"].get<std::string>() + " I am very well today, thank you.");
    c.drop();
    end();
    EXPECT_EQ(loops_with(R"("route":"/v1/voice")"), 2) << "the socket's, and the session's";
}

TEST_F(gateway_on_loops, interrupts_a_session_of_another_loop) {
    server_options.tokens_per_second = 200;
    start();
    auto old = voice();
    old.say(start_of("Long"));
    const auto id = old.read()["session"];
    old.read("chunk");
    auto c = voice();
    c.say({{"type", "start"}, {"session", id}});
    EXPECT_EQ(c.read()["resumed"], true);
    EXPECT_EQ(old.close_code(), 4001) << "taken over";
    EXPECT_EQ(c.read("end")["reply"], "1");
    c.read("chunk");
    c.say({{"type", "interrupt"}});
    EXPECT_EQ(c.read("end")["finish_reason"], "interrupted");
    EXPECT_TRUE(server_gets_idle());
    c.say(start_of("Hello!"));
    EXPECT_EQ(listen(c)["finish_reason"], "eos");
    c.say({{"type", "end"}});
    EXPECT_EQ(c.close_code(), 1000);
}

TEST_F(gateway_on_loops, stops_a_session_whose_socket_on_another_loop_is_gone) {
    server_options.tokens_per_second = 100;
    start();
    auto old = voice();
    old.say({{"type", "start"}});
    const auto id = old.read()["session"];
    auto c = voice();
    c.say({{"type", "start"}, {"session", id}, {"text", "Long"}});
    c.read("chunk");
    c.drop();
    EXPECT_TRUE(server_sees(mock::outcome::cut));
}

TEST_F(gateway_on_loops, has_one_limit_of_sessions) {
    options.voice.sessions_per_key = 1;
    start();
    auto one = voice();
    one.say({{"type", "start"}});
    const auto id = one.read()["session"];
    auto two = voice();
    two.say({{"type", "start"}});
    EXPECT_EQ(two.read()["code"], "too_many_sessions");
    one.drop();
    json ready;
    while (ready.is_null() || ready["type"] == "error") {  // it may not be seen at once
        two.say({{"type", "start"}});
        ready = two.read();
        ASSERT_FALSE(ready.is_null());
    }
    auto three = voice();
    three.say({{"type", "start"}, {"session", id}});
    EXPECT_EQ(three.read()["code"], "session_not_found") << "it made room on its loop";
    three.say({{"type", "interrupt"}});
    EXPECT_EQ(three.read()["code"], "no_session");
}

TEST_F(gateway_on_loops, forgets_a_session_that_was_left_alone_on_any) {
    options.voice.session_kept = 1s;
    start();
    std::vector<std::string> ids;
    for (int i = 0; i < 3; ++i) {
        auto c = voice();
        c.say({{"type", "start"}});
        ids.push_back(c.read()["session"]);
        c.drop();
    }
    EXPECT_TRUE(poll_until([&] { return figure("tandem_voice_sessions") == 0; }));
    auto c = voice();
    for (const auto& id : ids) {
        c.say({{"type", "start"}, {"session", id}});
        EXPECT_EQ(c.read()["code"], "session_not_found");
    }
}

// A session is handed from socket to socket, each on another loop than the one before.
TEST_F(gateway_on_loops, bears_sockets_that_take_a_session_from_each_other) {
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

// --- the end

TEST_F(gateway_on_loops, lets_replies_of_all_end_when_it_is_stopped) {
    server_options.tokens_per_second = 100;
    start();
    const auto all = clients(6);
    for (const auto& c : all) ask_for_stream(*c, "Hello!");
    let_all_read();
    auto stopped = stop();
    for (const auto& c : all) EXPECT_THAT(c->read_to_end(), HasSubstr("[DONE]"));
    EXPECT_EQ(stopped.wait_for(120s), std::future_status::ready);
    EXPECT_EQ(client().get("/health").status, 0) << "nobody listens any more";
}

TEST_F(gateway_on_loops, cuts_replies_of_all_short_when_time_is_over) {
    server_options.tokens_per_second = 50;
    start();
    const auto all = clients(4);
    for (const auto& c : all) ask_for_stream(*c, "Long");
    let_all_read();
    std::vector<std::unique_ptr<voice_client>> speaking;
    for (int i = 0; i < 3; ++i) {
        speaking.push_back(std::make_unique<voice_client>(port));
        speaking.back()->say(start_of("Long"));
        speaking.back()->read("ready");
    }
    auto stopped = stop(50ms);
    for (const auto& c : speaking) EXPECT_EQ(c->close_code(), 1012);
    for (const auto& c : all) c->read_to_any_end();
    EXPECT_EQ(stopped.wait_for(120s), std::future_status::ready);
    EXPECT_TRUE(server_gets_idle());
}

TEST_F(gateway_on_loops, closes_the_connections_of_all_when_it_is_destroyed) {
    server_options.tokens_per_second = 50;
    start();
    const auto all = clients(6);
    for (const auto& c : all) ask_for_stream(*c, "Long");
    let_all_read();
    auto speaking = voice();
    speaking.say(start_of("Long"));
    const auto id = speaking.read()["session"];
    auto other = voice();
    other.say({{"type", "start"}, {"session", id}});
    other.read("ready");
    end();
    for (const auto& c : all) c->read_to_any_end();
    EXPECT_EQ(other.close_code(), 0);
    EXPECT_TRUE(server_gets_idle());
}

TEST_F(gateway_on_loops, closes_its_connections_when_its_loops_were_stopped_before) {
    server_options.tokens_per_second = 50;
    start();
    const auto all = clients(6);
    for (const auto& c : all) ask_for_stream(*c, "Long");
    auto old = voice();
    old.say(start_of("Long"));
    auto c = voice();
    c.say({{"type", "start"}, {"session", old.read()["session"]}});
    c.read("ready");
    const auto contexts = stop_loops();
    gate.reset();
    for (bool is_busy = true; is_busy;) {
        is_busy = false;
        for (auto* context : contexts) {
            context->restart();
            is_busy = context->poll() > 0 || is_busy;
        }
    }
    for (const auto& one : all) one->read_to_any_end();
    EXPECT_EQ(c.close_code(), 0);
    EXPECT_TRUE(server_gets_idle());
}

// --- what is told, and changed

TEST_F(gateway_on_loops, counts_what_there_is_on_all) {
    start();
    const auto all = clients(6);
    for (const auto& c : all)
        EXPECT_EQ(c->post("/v1/chat/completions", chat("Hello!", {{"temperature", 0.5}})).status,
                  200);
    auto one = voice();
    auto two = voice();
    for (auto* c : {&one, &two}) {
        c->say({{"type", "start"}});
        c->read("ready");
    }
    EXPECT_TRUE(poll_until([&] { return figure("tandem_http_connections") == 9; }))
        << "six, the two WebSockets, and the one that asks";
    EXPECT_EQ(figure("tandem_voice_sockets"), 2);
    EXPECT_EQ(figure("tandem_voice_sessions"), 2);
    EXPECT_EQ(figure("tandem_replies_total", R"(finish_reason="eos")"), 6);
    EXPECT_EQ(figure("tandem_http_requests_total", R"(route="/v1/chat/completions")"), 6);
}

TEST_F(gateway_on_loops, tells_on_each_that_it_is_ready) {
    start();
    ASSERT_TRUE(is_ready());
    for (const auto& c : clients(3)) {
        const auto a = c->get("/ready");
        EXPECT_EQ(a.status, 200);
        EXPECT_THAT(a.parsed()["servers"], SizeIs(1)) << "each server is told once";
    }
}

TEST_F(gateway_on_loops, counts_its_connections_on_all_against_their_bound) {
    options.max_connections = 4;
    start();
    const auto all = clients(4);
    for (const auto& c : all) EXPECT_EQ(c->get("/health").status, 200);
    EXPECT_EQ(client().get("/health").status, 0);
    all[1]->close();
    EXPECT_TRUE(poll_until([&] { return client().get("/health").status == 200; }));
}

TEST_F(gateway_on_loops, takes_other_keys_while_requests_run) {
    options.keys = a_key();
    start();
    std::atomic<bool> is_over = false;
    std::atomic<int> refused = 0;
    std::vector<std::thread> askers;
    for (int i = 0; i < 3; ++i)
        askers.emplace_back([&] {
            const auto one = clients(1);
            const auto body = chat("Hello!", {{"stream", true}});
            while (!is_over) refused += one[0]->post("/v1/chat/completions", body).status != 200;
        });
    for (int i = 0; i < 100; ++i) on_loop([&] { gate->replace_keys(a_key(10 + i)); });
    EXPECT_TRUE(poll_until([&] { return figure("tandem_replies_total") > 10; }));
    is_over = true;
    for (auto& t : askers) t.join();
    EXPECT_EQ(refused, 0);
    on_loop([&] { gate->replace_keys({}); });
    for (const auto& c : clients(3)) EXPECT_EQ(c->get("/v1/models").status, 401);
}

TEST_F(gateway_on_loops, answers_many_who_ask_for_the_same_file_at_once) {
    start();
    std::vector<std::future<int>> pages;
    for (int i = 0; i < 24; ++i)
        pages.push_back(std::async(std::launch::async, [this] {
            auto page = client();
            int good = 0;
            for (int n = 0; n < 20; ++n)
                good += page.get("/assets/gateway.json").status == 200 ? 1 : 0;
            return good;
        }));
    for (auto& page : pages) EXPECT_EQ(page.get(), 20);
}

TEST_F(gateway_on_loops, refuses_to_be_on_none_or_too_many) {
    start();
    const std::vector<boost::asio::any_io_executor> none;
    EXPECT_THROW(gateway::gateway_server(none, options), config_error);
    const std::vector<boost::asio::any_io_executor> many(257, loop.get_executor());
    EXPECT_THROW(gateway::gateway_server(many, options), config_error);
}

}  // namespace

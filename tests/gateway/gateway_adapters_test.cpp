// LoRA adapters behind the gateway: requests select them, and operators deploy them.

#include "gateway/adapters/adapter_store.hpp"
#include "gateway/voice_fixture.hpp"
#include "support/poll_until.hpp"

#include <cstdio>
#include <unistd.h>

namespace tandem::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class gateway_with_adapters : public voice_gateway {
 protected:
    gateway_with_adapters() {
        server_options.lora = {"formal.gguf", "slang.gguf"};
        options.adapters = {{"formal", 0}, {"slang", 1}};
    }
    ~gateway_with_adapters() override {
        end();
        for (const char* end : {"", ".lock"}) std::remove((state_ + end).c_str());
    }

    /// The adapters in the last completion request; null if the request contained none.
    json asked_of_server() {
        const auto all = mock_server->observe().of_path("/completion");
        const auto body = json::parse(all.back().body);
        return body.contains("lora") ? body["lora"] : json();
    }
    static json scales(double formal, double slang) {
        return json::array({{{"id", 0}, {"scale", formal}}, {{"id", 1}, {"scale", slang}}});
    }
    http_answer ask(const json& lora) {
        return client().post("/v1/chat/completions", chat("Hello!", {{"lora", lora}}));
    }
    http_answer load_adapter(const std::string& adapter, double scale) {
        return client().post("/admin/adapters/" + adapter + "/load", json{{"scale", scale}});
    }
    json finished(const http_answer& accepted) {
        const auto path = "/admin/jobs/" + accepted.parsed().value("job", "none");
        json job;
        poll_until([&] {
            job = client().get(path).parsed();
            return job["state"] != "queued" && job["state"] != "running";
        });
        return job;
    }
    /// The scale at which the server applies each adapter to requests that name no adapters.
    std::vector<double> at_server() {
        http_client c(mock_server->port());
        std::vector<double> list;
        const auto adapters = c.get("/lora-adapters").parsed();
        for (const auto& a : adapters) list.push_back(a["scale"]);
        return list;
    }

    const std::string state_ = ::testing::TempDir() + "gateway_adapters." +
                               ::testing::UnitTest::GetInstance()->current_test_info()->name() +
                               '.' + std::to_string(::getpid());
};

// --- requests

TEST_F(gateway_with_adapters, tells_the_server_what_a_request_wants) {
    start();
    EXPECT_EQ(ask({{{"id", "slang"}, {"scale", 0.5}}}).status, 200);
    EXPECT_EQ(asked_of_server(), scales(0, 0.5));
}

TEST_F(gateway_with_adapters, tells_it_that_none_counts_if_nothing_is_wanted) {
    start();
    EXPECT_EQ(client().post("/v1/chat/completions", chat()).status, 200);
    EXPECT_EQ(asked_of_server(), scales(0, 0));
}

TEST_F(gateway_with_adapters, lets_the_server_forget_what_it_holds_of_another_set) {
    start();
    const auto cached = [&](const json& lora) {
        return ask(lora).parsed()["usage"]["prompt_tokens_details"].value("cached_tokens", -1);
    };
    const json formal{{{"id", "formal"}}};
    cached(formal);
    EXPECT_GT(cached(formal), 0);
    EXPECT_EQ(cached(json::array()), 0);
}

TEST_F(gateway_with_adapters, lets_requests_have_no_others) {
    start();
    const auto a = ask({{{"id", "rude"}}});
    EXPECT_EQ(a.status, 400);
    EXPECT_EQ(a.parsed()["error"]["code"], "adapter_not_found");
    EXPECT_EQ(a.parsed()["error"]["param"], "lora[0].id");
}

TEST_F(a_gateway, without_adapters_says_nothing_of_them) {
    start();
    EXPECT_EQ(client().post("/v1/chat/completions", chat()).status, 200);
    EXPECT_THAT(mock_server->observe().of_path("/completion").back().body,
                ::testing::Not(HasSubstr("lora")));
}

TEST_F(gateway_with_adapters, speaks_with_those_of_the_session_or_of_the_turn) {
    start();
    auto c = voice();
    auto first = start_of("Hello!");
    first["options"]["lora"] = {{{"id", "formal"}, {"scale", 0.5}}};
    c.say(first);
    EXPECT_EQ(c.read()["type"], "ready");
    EXPECT_EQ(listen(c)["type"], "end");
    EXPECT_EQ(asked_of_server(), scales(0.5, 0));
    auto second = start_of("And you?");
    second["options"]["lora"] = {{{"id", 1}}};
    c.say(second);
    EXPECT_EQ(listen(c)["type"], "end");
    EXPECT_EQ(asked_of_server(), scales(0, 1));
    c.say(start_of("Hello!"));
    EXPECT_EQ(listen(c)["type"], "end");
    EXPECT_EQ(asked_of_server(), scales(0.5, 0));
}

TEST_F(gateway_with_adapters, evaluates_what_it_warms_with_them_too) {
    start();
    auto c = voice();
    c.say({{"type", "start"}, {"messages", {{{"role", "system"}, {"content", "Be brief."}}}}});
    ASSERT_TRUE(poll_until([&] { return !mock_server->observe().of_path("/completion").empty(); }));
    EXPECT_EQ(asked_of_server(), scales(0, 0));
}

TEST_F(gateway_with_adapters, begins_no_turn_with_an_unknown_one) {
    start();
    auto c = voice();
    auto first = start_of("Hello!");
    first["options"]["lora"] = {{{"id", "rude"}}};
    c.say(first);
    EXPECT_EQ(c.read()["type"], "ready");
    const auto error = c.read();
    EXPECT_EQ(error["code"], "adapter_not_found");
    EXPECT_EQ(error["param"], "options.lora[0].id");
}

// --- jobs

TEST_F(gateway_with_adapters, sets_one_on_its_servers_by_a_job) {
    start();
    const auto accepted = load_adapter("slang", 0.5);
    EXPECT_EQ(accepted.status, 202);
    const auto job = finished(accepted);
    EXPECT_EQ(job["state"], "done") << job;
    EXPECT_EQ(job["adapter"], "slang");
    EXPECT_EQ(job["servers"], json::array({{{"server", mock_server->url()}, {"error", nullptr}}}));
    EXPECT_THAT(at_server(), ElementsAre(0, 0.5));
    EXPECT_EQ(client().get("/admin/adapters").parsed()["data"][1]["scale"], 0.5);
    EXPECT_EQ(client().post("/v1/chat/completions", chat()).status, 200);
    EXPECT_EQ(asked_of_server(), scales(0, 0.5));
}

TEST_F(gateway_with_adapters, drops_no_reply_that_runs) {
    server_options.tokens_per_second = 5;
    start();
    http_client running(port);
    running.send_request("POST", "/v1/chat/completions", chat("Hello!", {{"stream", true}}).dump());
    ASSERT_TRUE(running.read_until("Hello"));
    EXPECT_EQ(finished(load_adapter("formal", 1))["state"], "done");
    EXPECT_TRUE(server_is_busy());
    EXPECT_EQ(text_of(running.read_answer()), story);
}

TEST_F(gateway_with_adapters, knows_no_other_adapters_and_jobs) {
    start();
    EXPECT_EQ(load_adapter("rude", 1).status, 404);
    EXPECT_EQ(load_adapter("slang", 101).status, 400);
    EXPECT_EQ(client().get("/admin/jobs/job-7").status, 404);
}

TEST_F(gateway_with_adapters, changes_nothing_if_a_server_does_not_have_it) {
    server_options.lora = {"formal.gguf"};
    start();
    const auto job = finished(load_adapter("slang", 1));
    EXPECT_EQ(job["state"], "failed");
    EXPECT_EQ(job["servers"][0]["error"], "has no adapter 1; it was started with 1");
    EXPECT_EQ(client().get("/admin/adapters").parsed()["data"][1]["scale"], 0.0);
}

TEST_F(gateway_with_adapters, changes_nothing_if_no_server_answers) {
    start();
    mock_server->stop();
    const auto job = finished(load_adapter("slang", 1));
    EXPECT_EQ(job["state"], "failed");
    EXPECT_THAT(job["error"].get<std::string>(), HasSubstr("no server of the model"));
}

TEST_F(gateway_with_adapters, lets_operators_alone_deploy) {
    const auto bot = gateway::make_api_key();
    const auto operator_ = gateway::make_api_key();
    options.keys = gateway::api_keys({{.name = "bot", .sha256 = *gateway::hash_sha256(bot.key)},
                                      {.name = "operator",
                                       .sha256 = *gateway::hash_sha256(operator_.key),
                                       .rights = {gateway::right::admin}}});
    start();
    for (const auto& [key, status] : {std::pair(bot.key, 403), std::pair(operator_.key, 202)}) {
        http_client c(port);
        c.headers["Authorization"] = "Bearer " + key;
        EXPECT_EQ(c.post("/admin/adapters/formal/load", json::object()).status, status);
    }
}

// --- deployed adapters

TEST_F(gateway_with_adapters, remembers_what_is_deployed) {
    options.state_file = state_;
    gateway::adapter_store(state_).save_entry({"talk", "slang", 0.25});
    start();
    EXPECT_TRUE(poll_until([&] {
        return at_server() == std::vector<double>{0, 0.25};
    })) << "the server starts with all scales at 1";
    EXPECT_EQ(client().post("/v1/chat/completions", chat()).status, 200);
    EXPECT_EQ(asked_of_server(), scales(0, 0.25));
    EXPECT_EQ(finished(load_adapter("formal", 1))["state"], "done");
    end();
    EXPECT_THAT(gateway::adapter_store(state_).all(),
                ElementsAre(gateway::deployed_adapter{"talk", "formal", 1.0},
                            gateway::deployed_adapter{"talk", "slang", 0.25}));
}

TEST_F(gateway_with_adapters, does_not_start_with_a_file_that_another_one_has) {
    options.state_file = state_;
    const gateway::adapter_store other(state_);
    EXPECT_THROW(start(), gateway::adapter_store_error);
}

}  // namespace
}  // namespace tandem::testing

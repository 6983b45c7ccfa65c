// Several models behind one gateway, as clients see them.

#include "gateway/voice_fixture.hpp"
#include "support/captured_log.hpp"
#include "support/poll_until.hpp"

namespace tandem::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Serves the model "talk" with the fixture's server, and "code" with a second server.
class gateway_of_two_models : public voice_gateway {
 protected:
    void start() {
        code_options_.add_bos = false;
        code_options_.replies = {{mock::render_prompt({{"user", "Hello!"}}), code_}};
        code_server_.emplace(code_options_);
        mock_server.emplace(server_options);
        options.models = {{"talk", {mock_server->url()}}, {"code", {code_server_->url()}}};
        open_gate();
    }
    void admit_key_for(std::vector<std::string> models) {
        options.keys = gateway::api_keys({{.name = "bot",
                                           .sha256 = *gateway::hash_sha256(made_.key),
                                           .models = std::move(models)}});
    }
    http_answer get(const std::string& target) {
        http_client c(port);
        c.headers["Authorization"] = "Bearer " + made_.key;
        return c.get(target);
    }
    http_answer ask(const std::string& model) {
        http_client c(port);
        c.headers["Authorization"] = "Bearer " + made_.key;
        auto body = chat();
        body["model"] = model;
        return c.post("/v1/chat/completions", body);
    }
    static std::vector<std::string> ids_of(const http_answer& list) {
        std::vector<std::string> ids;
        const auto models = list.parsed();
        for (const auto& m : models["data"]) ids.push_back(m["id"]);
        return ids;
    }

    static inline const std::string code_ = "int main() {}";
    gateway::new_api_key made_ = gateway::make_api_key();
    mock::options code_options_;
    std::optional<mock::server> code_server_;
};

TEST_F(gateway_of_two_models, warns_of_a_key_whose_model_is_not_served) {
    captured_log log;
    options.instruments.log = log.logger();
    admit_key_for({"talk", "kode"});
    start();
    EXPECT_EQ(log.count(log_level::warning, "\"kode\""), 1u);
    EXPECT_EQ(log.count(log_level::warning, "\"talk\""), 0u);
}

TEST_F(gateway_of_two_models, asks_the_server_that_has_the_model) {
    start();
    for (const auto& [model, text] : {std::pair("talk", story), std::pair("code", code_)}) {
        const auto a = ask(model).parsed();
        EXPECT_EQ(a["choices"][0]["message"]["content"], text);
        EXPECT_EQ(a["model"], model);
    }
    const auto raw =
        client().post("/v1/completions",
                      {{"model", "code"}, {"prompt", mock::render_prompt({{"user", "Hello!"}})}});
    EXPECT_EQ(raw.parsed()["choices"][0]["text"], code_);
    EXPECT_TRUE(poll_until([&] { return audited().size() == 3; }))
        << "the audit line follows the answer";
    EXPECT_THAT(audited(),
                ElementsAre(HasSubstr(R"("model":"talk")"), HasSubstr(R"("model":"code")"),
                            HasSubstr(R"("model":"code")")));
}

TEST_F(gateway_of_two_models, lists_both_while_no_server_is_there) {
    start();
    mock_server->stop();
    code_server_->stop();
    EXPECT_THAT(ids_of(get("/v1/models")), ElementsAre("talk", "code"));
    EXPECT_EQ(get("/v1/models/code").parsed()["id"], "code");
}

TEST_F(gateway_of_two_models, does_not_know_others) {
    start();
    const auto a = ask("gpt-4");
    EXPECT_EQ(a.status, 404);
    EXPECT_EQ(a.parsed()["error"]["code"], "model_not_found");
    EXPECT_EQ(get("/v1/models/gpt-4").status, 404);
    EXPECT_EQ(ask("").status, 400);
}

TEST_F(gateway_of_two_models, shows_a_key_its_own_models_alone) {
    admit_key_for({"code"});
    start();
    EXPECT_THAT(ids_of(get("/v1/models")), ElementsAre("code"));
    EXPECT_EQ(ask("code").status, 200);
    EXPECT_EQ(ask("talk").status, 403);
}

TEST_F(gateway_of_two_models, continues_with_one_when_the_other_is_away) {
    options.service.health_interval = 100ms;
    start();
    mock_server->stop();
    EXPECT_EQ(ask("code").status, 200);
    EXPECT_EQ(ask("talk").status, 503);
    const auto ready = get("/ready");
    EXPECT_EQ(ready.status, 200);
    EXPECT_EQ(ready.parsed()["servers"].size(), 2u);
}

// --- voice

json start_with(const std::string& model) {
    return {{"type", "start"}, {"text", "Hello!"}, {"model", model}};
}

TEST_F(gateway_of_two_models, speaks_with_the_model_that_the_start_names) {
    start();
    auto c = voice();
    c.say(start_with("code"));
    EXPECT_EQ(c.read()["model"], "code");
    std::string text;
    EXPECT_EQ(listen(c, text)["type"], "end");
    EXPECT_EQ(text, code_);
}

TEST_F(gateway_of_two_models, keeps_a_session_at_its_model) {
    start();
    auto c = voice();
    c.say({{"type", "start"}, {"model", "code"}});
    const auto session = c.read()["session"];
    auto other = voice();
    other.say({{"type", "start"}, {"session", session}});
    EXPECT_EQ(other.read()["model"], "code") << "the session keeps its model";
    other.say(start_with("talk"));
    EXPECT_EQ(other.read()["param"], "model");
}

TEST_F(gateway_of_two_models, opens_no_session_of_a_model_that_is_not_there) {
    start();
    auto c = voice();
    c.say(start_with("gpt-4"));
    EXPECT_EQ(c.read()["code"], "model_not_found");
}

// --- options

TEST_F(gateway_of_two_models, has_each_server_for_one_model_only) {
    options.models = {{"talk", {"http://a:1"}}, {"code", {"http://a:1"}}, {"talk", {}}};
    std::string faults;
    for (const auto& f : gateway::check(options)) faults += f.field + ' ' + f.message + '\n';
    EXPECT_THAT(faults, HasSubstr("servers has http://a:1 twice"));
    EXPECT_THAT(faults, HasSubstr("models has talk twice"));
    EXPECT_THAT(faults, HasSubstr("models has no server for talk"));
}

}  // namespace
}  // namespace tandem::testing

#include "contract/contract_fixture.hpp"
#include "wire/calls/server_messages.hpp"

// The answers of the endpoints other than /completion.
namespace tandem::testing {
namespace {

TANDEM_CONTRACT(contract);

class locked_server : public contract {
 protected:
    locked_server() {
        arguments_ = {"--api-key", "sesame"};
        mock_options_.api_key = "sesame";
    }
};
TANDEM_CONTRACT(locked_server);

class erasing_server : public contract {
 protected:
    erasing_server() {
        arguments_ = {"--slot-save-path", ::testing::TempDir()};
        mock_options_.slot_actions = true;
    }
};
TANDEM_CONTRACT(erasing_server);

class server_without_slots_endpoint : public contract {
 protected:
    server_without_slots_endpoint() {
        arguments_ = {"--no-slots"};
        mock_options_.slots_endpoint = false;
    }
};
TANDEM_CONTRACT(server_without_slots_endpoint);

// Expects the error that llama-server sends with this status.
void expect_error(const running_answer& a, int status, const std::string& type) {
    EXPECT_EQ(a.status(), status);
    const auto error = a.parsed().value("error", json::object());
    EXPECT_EQ(error.value("code", 0), status) << a.body();
    EXPECT_EQ(error.value("type", ""), type) << a.body();
    EXPECT_NE(error.value("message", ""), "") << a.body();
}

TEST_P(contract, health_is_ok) {
    const auto a = probe().get("/health");
    EXPECT_EQ(a->status(), 200);
    EXPECT_EQ(a->parsed(), json({{"status", "ok"}}));
}

TEST_P(contract, props_tell_slots_and_context) {
    const auto a = probe().get("/props");
    server_props props;
    diagnostics diag;
    ASSERT_FALSE(wire::decode_props({a->status(), a->body()}, props, diag)) << diag.to_string();
    EXPECT_EQ(props.total_slots, 2);
    EXPECT_EQ(props.context_per_slot, 2048);
    EXPECT_EQ(props.eos_token, "<|im_end|>");
    EXPECT_NE(props.model, "");
    EXPECT_NE(props.build_info, "");
    EXPECT_NE(props.chat_template, "");
    EXPECT_TRUE(props.has_slots_endpoint);
    EXPECT_FALSE(props.has_metrics_endpoint);
    EXPECT_FALSE(props.is_sleeping);
}

TEST_P(contract, slots_report_what_each_holds) {
    probe().complete(endless(5, 1));
    std::vector<slot_state> slots;
    ASSERT_TRUE(probe().wait_until([this] { return slot_is_idle(1); }));
    const auto a = probe().get("/slots");
    diagnostics diag;
    ASSERT_FALSE(wire::decode_slots({a->status(), a->body()}, slots, diag)) << diag.to_string();
    ASSERT_EQ(slots.size(), 2u);
    EXPECT_EQ(slots[0].context, 2048);
    EXPECT_EQ(slots[0].prompt_tokens, 0);
    EXPECT_EQ(slots[1].id, 1);
    EXPECT_GT(slots[1].prompt_tokens, 4);
}

TEST_P(contract, slots_show_a_running_request) {
    const auto a = probe().start(endless(1500));
    ASSERT_TRUE(probe().wait_for_events(*a, 1));
    const auto slots = probe().get("/slots")->parsed();
    EXPECT_TRUE(slots.at(0).at("is_processing").get<bool>());
    EXPECT_FALSE(slots.at(1).at("is_processing").get<bool>());
}

TEST_P(contract, tokens_of_a_text_are_its_text_again) {
    const std::string text = "Grüße aus München, 東京 and 🙂!";
    const auto tokens = probe().post("/tokenize", {{"content", text}})->parsed();
    const auto back = probe().post("/detokenize", tokens)->parsed();
    EXPECT_EQ(back, json({{"content", text}}));
}

TEST_P(contract, special_tokens_are_parsed_if_asked_for) {
    const auto tokens = [this](bool parse) {
        return probe()
            .post("/tokenize", {{"content", "<|im_end|>"}, {"parse_special", parse}})
            ->parsed()
            .at("tokens")
            .size();
    };
    EXPECT_EQ(tokens(true), 1u);
    EXPECT_GT(tokens(false), 1u);
}

// The client relies on this to find the ids that a stream withholds.
TEST_P(contract, texts_in_a_list_are_tokenised_one_by_one_and_ids_pass) {
    const auto tokens = [this](const json& content) {
        return probe().post("/tokenize", {{"content", content}})->parsed().at("tokens");
    };
    auto expected = tokens("Hello");
    expected.push_back(0);
    for (const auto& id : tokens("é")) expected.push_back(id);
    expected.push_back(0);
    EXPECT_EQ(tokens(json::array({"Hello", 0, "é", 0})), expected);
}

TEST_P(contract, the_template_opens_the_assistants_turn) {
    const json messages = {{{"role", "system"}, {"content", "Be brief."}},
                           {{"role", "user"}, {"content", "Hi \"you\""}}};
    const auto a = probe().post("/apply-template", {{"messages", messages}});
    EXPECT_EQ(a->parsed(), json({{"prompt",
                                  "<|im_start|>system\nBe brief.<|im_end|>\n"
                                  "<|im_start|>user\nHi \"you\"<|im_end|>\n"
                                  "<|im_start|>assistant\n"}}));
}

TEST_P(contract, what_is_not_there_is_404) {
    expect_error(*probe().get("/nothing"), 404, "not_found_error");
    expect_error(*probe().get("/completion"), 404, "not_found_error");
}

TEST_P(contract, what_is_switched_off_is_501) {
    expect_error(*probe().get("/metrics"), 501, "not_supported_error");
    expect_error(*probe().post_text("/slots/0?action=erase", ""), 501, "not_supported_error");
}

TEST_P(contract, what_makes_no_sense_is_400) {
    const char* type = "invalid_request_error";
    expect_error(*probe().post_text("/completion", "{"), 400, type);
    expect_error(*probe().post("/completion", {{"stream", true}}), 400, type);
    expect_error(*probe().post("/completion", {{"prompt", json::array()}}), 400, type);
    expect_error(*probe().post("/completion", {{"prompt", "a"}, {"n_predict", "many"}}), 400, type);
    expect_error(*probe().post("/completion", {{"prompt", {1, 2147483647}}}), 400, type);
    expect_error(*probe().post("/apply-template", {{"messages", 1}}), 400, type);
}

TEST_P(contract, a_prompt_as_long_as_the_context_is_too_long) {
    const std::vector<int> ids(2048, 'a');
    const auto a = probe().complete({{"prompt", ids}, {"stream", true}});
    expect_error(*a, 400, "exceed_context_size_error");
    EXPECT_EQ(a->parsed().at("error").at("n_prompt_tokens"), 2048);
    EXPECT_EQ(a->parsed().at("error").at("n_ctx"), 2048);
}

TEST_P(locked_server, wants_its_key_everywhere_but_for_health) {
    expect_error(*probe().get("/props"), 401, "authentication_error");
    expect_error(*probe().complete({{"prompt", "a"}}), 401, "authentication_error");
    EXPECT_EQ(probe().get("/health")->status(), 200);
}

TEST_P(locked_server, takes_its_key_as_a_bearer_token) {
    EXPECT_EQ(http_probe(url(), "sesame").get("/props")->status(), 200);
    expect_error(*http_probe(url(), "sesam").get("/props"), 401, "authentication_error");
}

TEST_P(erasing_server, empties_a_slot) {
    probe().complete(endless(5));
    ASSERT_TRUE(probe().wait_until([this] { return slot_is_idle(0); }));
    const auto a = probe().post_text("/slots/0?action=erase", "");
    EXPECT_EQ(a->status(), 200);
    EXPECT_GT(a->parsed().value("n_erased", 0), 4) << a->body();
}

TEST_P(server_without_slots_endpoint, says_so) {
    expect_error(*probe().get("/slots"), 501, "not_supported_error");
    EXPECT_EQ(probe().get("/props")->parsed().at("endpoint_slots"), false);
}

}  // namespace
}  // namespace tandem::testing

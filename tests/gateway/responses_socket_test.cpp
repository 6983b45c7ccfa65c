// The WebSocket of /v1/responses.

#include "gateway/gateway_fixture.hpp"
#include "gateway/voice_client.hpp"

#include <string>
#include <vector>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class responses_socket : public a_gateway {
 protected:
    voice_client socket(const std::string& authorization = {}) {
        return voice_client(port, "", authorization, "", "/v1/responses");
    }
    static json create(const std::string& input, json more = json::object()) {
        more["type"] = "response.create";
        more["model"] = "talk";
        more["input"] = input;
        return more;
    }
    /// The response in the last event.
    static json end_of(voice_client& c) {
        for (;;) {
            auto e = c.read();
            if (e.is_null() || e["type"] == "error") return e;
            const std::string type = e["type"];
            if (type == "response.completed" || type == "response.incomplete" ||
                type == "response.failed")
                return e["response"];
        }
    }
    static std::string text_of(const json& response) {
        return response["output"][0]["content"][0]["text"];
    }
};

TEST_F(responses_socket, sends_the_events_of_a_stream_as_messages) {
    start();
    auto c = socket();
    c.say(create("Hello!"));
    std::vector<std::string> types;
    std::string text;
    for (int i = 0; types.empty() || types.back() != "response.completed"; ++i) {
        const auto e = c.read();
        ASSERT_FALSE(e.is_null());
        EXPECT_EQ(e["sequence_number"], i);
        if (types.empty() || types.back() != e["type"]) types.push_back(e["type"]);
        if (e["type"] == "response.output_text.delta") text += e["delta"];
    }
    EXPECT_THAT(
        types, ElementsAre("response.created", "response.in_progress", "response.output_item.added",
                           "response.content_part.added", "response.output_text.delta",
                           "response.output_text.done", "response.content_part.done",
                           "response.output_item.done", "response.completed"));
    EXPECT_EQ(text, story);
}

TEST_F(responses_socket, continues_its_newest_response_even_if_it_is_not_stored) {
    start();
    auto c = socket();
    c.say(create("Hello!", {{"store", false}}));
    const std::string first = end_of(c)["id"];
    c.say(create("And you?", {{"store", false}, {"previous_response_id", first}}));
    EXPECT_EQ(end_of(c)["status"], "completed");
    EXPECT_THAT(last_prompt(), HasSubstr(story));
    EXPECT_THAT(last_prompt(), HasSubstr("And you?"));
    c.say(create("Again.", {{"previous_response_id", first}}));
    EXPECT_EQ(end_of(c)["error"]["code"], "previous_response_not_found");
}

TEST_F(responses_socket, leaves_its_stored_response_to_a_client_that_reconnects) {
    start();
    std::string first;
    {
        auto c = socket();
        c.say(create("Hello!"));
        first = end_of(c)["id"];
        c.drop();
    }
    auto c = socket();
    c.say(create("And you?", {{"previous_response_id", first}}));
    EXPECT_EQ(end_of(c)["status"], "completed");
    EXPECT_THAT(last_prompt(), HasSubstr(story));
}

TEST_F(responses_socket, answers_one_request_after_the_other) {
    start();
    auto c = socket();
    for (int i = 0; i < 3; ++i) c.say(create("Hello!"));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(text_of(end_of(c)), story);
}

TEST_F(responses_socket, refuses_requests_beyond_those_that_may_wait) {
    server_options.tokens_per_second = 50;
    start();
    auto c = socket();
    for (int i = 0; i < 10; ++i) c.say(create("Hello!"));
    const auto error = c.read("error");
    EXPECT_EQ(error["status"], 429);
    EXPECT_EQ(error["code"], "too_many_requests");
    EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("8 requests wait"));
}

TEST_F(responses_socket, checks_the_key_before_it_parses_a_long_message) {
    const auto key = gateway::make_api_key();
    options.keys = gateway::api_keys(
        {{.name = "bot", .sha256 = *gateway::hash_sha256(key.key), .requests_per_minute = 1}});
    start();
    auto c = socket("Bearer " + key.key);
    const std::string padding(5000, ' ');
    c.send("[" + padding);
    EXPECT_EQ(c.read("error")["code"], "invalid_json");
    c.send("[" + padding);
    EXPECT_EQ(c.read("error")["code"], "rate_limit_exceeded");
}

TEST_F(responses_socket, reads_long_messages) {
    start();
    auto c = socket();
    const std::string padding(5000, ' ');
    c.send("[" + padding);
    EXPECT_EQ(c.read("error")["code"], "invalid_json");
    c.send(R"({"type":"dance"})" + padding);
    EXPECT_EQ(c.read("error")["code"], "unknown_type");
    c.say(create("Hello!", {{"instructions", "Be kind." + padding}}));
    EXPECT_EQ(text_of(end_of(c)), story);
}

TEST_F(responses_socket, ends_a_cancelled_response_and_serves_the_next_one) {
    server_options.tokens_per_second = 50;
    start();
    auto c = socket();
    c.say(create("Hello!"));
    const auto created = c.read("response.created");
    c.say({{"type", "response.cancel"}, {"response_id", created["response"]["id"]}});
    EXPECT_EQ(end_of(c)["status"], "failed");
    c.say({{"type", "response.cancel"}});
    c.say(create("Hello!", {{"max_output_tokens", 2}}));
    EXPECT_EQ(end_of(c)["status"], "incomplete");
}

TEST_F(responses_socket, tells_errors_and_stays_open) {
    start();
    auto c = socket();
    c.send("{");
    const auto broken = c.read("error");
    EXPECT_EQ(broken["status"], 400);
    EXPECT_FALSE(broken.contains("param")) << "some clients accept no null";
    c.say({{"type", "session.update"}});
    EXPECT_THAT(c.read("error")["message"].get<std::string>(), HasSubstr("response.create"));
    c.say({{"type", "response.create"}, {"model", "talk"}, {"input", 7}});
    const auto error = c.read("error");
    EXPECT_EQ(error["param"], "input");
    EXPECT_EQ(error["error"]["param"], "input");
    c.say(create("Hello!"));
    EXPECT_EQ(text_of(end_of(c)), story);
}

TEST_F(responses_socket, evaluates_a_prompt_for_the_request_that_continues_it) {
    start();
    auto c = socket();
    c.say(create("Hello!", {{"instructions", "Be kind."}, {"generate", false}}));
    const auto warm = end_of(c);
    EXPECT_EQ(warm["status"], "completed");
    EXPECT_THAT(warm["output"], IsEmpty());
    ASSERT_TRUE(server_sees(mock::outcome::complete));
    EXPECT_THAT(last_prompt(), HasSubstr("Be kind."));
    c.say(create("And you?", {{"instructions", "Be kind."}, {"previous_response_id", warm["id"]}}));
    const auto r = end_of(c);
    EXPECT_EQ(r["status"], "completed");
    EXPECT_THAT(last_prompt(), HasSubstr("Hello!"));
    EXPECT_THAT(last_prompt(), HasSubstr("And you?"));
    EXPECT_GT(r["usage"]["input_tokens_details"]["cached_tokens"], 0);
}

TEST_F(responses_socket, does_not_know_items_before_its_first_response) {
    start();
    auto c = socket();
    const json reference = {{"type", "item_reference"}, {"id", "abc"}};
    c.say({{"type", "response.create"}, {"model", "talk"}, {"input", json::array({reference})}});
    EXPECT_EQ(c.read("error")["param"], "input");
}

TEST_F(responses_socket, ignores_a_cancel_of_a_response_that_has_ended) {
    start();
    auto c = socket();
    c.say(create("Hello!"));
    const auto first = end_of(c)["id"];
    c.say(create("Hello!"));
    c.say({{"type", "response.cancel"}, {"response_id", first}});
    EXPECT_EQ(end_of(c)["status"], "completed");
}

TEST_F(responses_socket, gets_the_end_of_its_response_when_the_gateway_stops_at_once) {
    server_options.tokens_per_second = 20;
    start();
    auto c = socket();
    c.say(create("Hello!"));
    ASSERT_TRUE(server_has_begun());
    auto stopped = stop(0s);
    EXPECT_EQ(end_of(c)["status"], "failed");
    EXPECT_EQ(c.close_code(), 1012);
    stopped.wait();
}

TEST_F(responses_socket, is_closed_for_a_binary_message) {
    start();
    auto c = socket();
    c.send("Hello!", true);
    EXPECT_EQ(c.read()["code"], "binary_message");
    EXPECT_EQ(c.close_code(), 1003);
}

TEST_F(responses_socket, is_closed_for_a_message_that_is_too_large) {
    options.max_body_bytes = 4096;
    start();
    auto c = socket();
    c.send(std::string(5000, ' '));
    const auto why = c.read();
    EXPECT_EQ(why["code"], "message_too_large");
    EXPECT_EQ(why["message"],
              "the message exceeds the limit of 4096 bytes; send less in one message");
    EXPECT_EQ(c.close_code(), 1009);
}

TEST_F(responses_socket, asks_for_an_upgrade_if_there_is_none) {
    start();
    EXPECT_EQ(client().get("/v1/responses").status, 426);
}

TEST_F(responses_socket, checks_the_key_and_its_limits_for_each_request) {
    const auto key = gateway::make_api_key();
    options.keys = gateway::api_keys(
        {{.name = "bot", .sha256 = *gateway::hash_sha256(key.key), .requests_per_minute = 1}});
    start();
    EXPECT_EQ(socket().status(), 401);
    auto c = socket("Bearer " + key.key);
    c.say(create("Hello!"));
    EXPECT_EQ(end_of(c)["status"], "completed");
    c.say(create("Hello!"));
    EXPECT_EQ(end_of(c)["status"], 429);
}

TEST_F(responses_socket, charges_the_key_for_a_request_that_only_evaluates_its_prompt) {
    const auto key = gateway::make_api_key();
    options.keys = gateway::api_keys(
        {{.name = "bot", .sha256 = *gateway::hash_sha256(key.key), .requests_per_minute = 1}});
    start();
    auto c = socket("Bearer " + key.key);
    c.say(create("Hello!", {{"generate", false}}));
    EXPECT_EQ(end_of(c)["status"], "completed");
    c.say(create("Hello!"));
    EXPECT_EQ(end_of(c)["status"], 429);
}

}  // namespace

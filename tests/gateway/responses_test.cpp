// POST /v1/responses.

#include "gateway/gateway_fixture.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class responses : public a_gateway {
 protected:
    static constexpr auto path = "/v1/responses";

    static json ask(const std::string& input, json more = json::object()) {
        more["model"] = "talk";
        more["input"] = input;
        return more;
    }
    json whole(const json& body) {
        auto c = client();
        const auto answer = c.post(path, body);
        EXPECT_EQ(answer.status, 200) << answer.body;
        return answer.parsed();
    }
    json refused(const json& body) {
        auto c = client();
        const auto answer = c.post(path, body);
        EXPECT_EQ(answer.status, 400) << answer.body;
        return answer.parsed()["error"];
    }
    std::vector<json> stream(json body) {
        body["stream"] = true;
        auto c = client();
        std::vector<json> events;
        for (const auto& e : c.post(path, body).events()) events.push_back(json::parse(e));
        return events;
    }
    static std::string text_of(const json& response) {
        return response["output"][0]["content"][0]["text"];
    }
};

TEST_F(responses, have_the_text_of_the_answer_and_its_usage) {
    start();
    const auto r = whole(ask("Hello!", {{"metadata", {{"call", "7"}}}}));
    EXPECT_THAT(r["id"].get<std::string>(), StartsWith("resp_"));
    EXPECT_EQ(r["status"], "completed");
    EXPECT_EQ(text_of(r), story);
    EXPECT_EQ(r["output"].size(), 1u);
    EXPECT_GT(r["usage"]["output_tokens"], 5);
    EXPECT_EQ(r["metadata"]["call"], "7");
    EXPECT_EQ(r["tools"], json::array());
}

TEST_F(responses, are_streamed_as_events_in_their_order) {
    start();
    const auto events = stream(ask("Hello!"));
    std::vector<std::string> types;
    std::string text;
    for (std::size_t i = 0; i < events.size(); ++i) {
        EXPECT_EQ(events[i]["sequence_number"], i);
        const std::string type = events[i]["type"];
        if (types.empty() || types.back() != type) types.push_back(type);
        if (type == "response.output_text.delta") text += events[i]["delta"];
    }
    EXPECT_THAT(
        types, ElementsAre("response.created", "response.in_progress", "response.output_item.added",
                           "response.content_part.added", "response.output_text.delta",
                           "response.output_text.done", "response.content_part.done",
                           "response.output_item.done", "response.completed"));
    EXPECT_EQ(text, story);
    EXPECT_EQ(text_of(events.back()["response"]), story);
}

TEST_F(responses, have_no_output_if_the_prompt_is_only_evaluated) {
    start();
    const auto warm = whole(ask("Hello!", {{"generate", false}}));
    EXPECT_EQ(warm["status"], "completed");
    EXPECT_EQ(warm["output"], json::array());
    const auto r = whole(ask("And you?", {{"previous_response_id", warm["id"]}}));
    EXPECT_EQ(r["status"], "completed");
    EXPECT_THAT(last_prompt(), HasSubstr("Hello!"));
}

TEST_F(responses, continue_one_that_had_instructions_alone) {
    start();
    const auto warm = whole({{"model", "talk"},
                             {"input", json::array()},
                             {"instructions", "Be kind."},
                             {"generate", false}});
    EXPECT_EQ(whole(ask("Hello!", {{"previous_response_id", warm["id"]}}))["status"], "completed");
}

TEST_F(responses, are_incomplete_at_the_limit_of_tokens) {
    start();
    const auto r = whole(ask("Hello!", {{"max_output_tokens", 3}}));
    EXPECT_EQ(r["status"], "incomplete");
    EXPECT_EQ(r["incomplete_details"]["reason"], "max_output_tokens");
    EXPECT_EQ(stream(ask("Hello!", {{"max_output_tokens", 3}})).back()["type"],
              "response.incomplete");
}

TEST_F(responses, continue_a_response_by_its_id_alone) {
    server_options.replies.push_back(
        {mock::render_prompt({{"user", "Hello!"}, {"assistant", story}, {"user", "And you?"}}),
         "Fine."});
    start();
    const auto first = whole(ask("Hello!"));
    const auto second = whole(ask("And you?", {{"previous_response_id", first["id"]}}));
    EXPECT_EQ(text_of(second), "Fine.");
    EXPECT_EQ(second["previous_response_id"], first["id"]);
    const auto sent = mock_server->observe().of_path("/completion").back();
    EXPECT_GT(sent.cached, sent.evaluated) << "its own turn alone is evaluated";
    const auto again = stream(ask("And you?", {{"previous_response_id", first["id"]}}));
    EXPECT_EQ(text_of(again.back()["response"]), "Fine.") << "without the turn in between";
}

TEST_F(responses, are_continued_once_the_stream_reports_that_they_are_complete) {
    start();
    const auto id = stream(ask("Hello!")).back()["response"]["id"];
    whole(ask("And you?", {{"previous_response_id", id}}));
    EXPECT_THAT(last_prompt(), HasSubstr(story));
}

TEST_F(responses, have_the_instructions_of_their_own_request) {
    start();
    const auto first = whole(ask("Hello!", {{"instructions", "Be brief."}}));
    EXPECT_THAT(last_prompt(), HasSubstr("Be brief."));
    whole(ask("And you?", {{"instructions", "Be kind."}, {"previous_response_id", first["id"]}}));
    EXPECT_THAT(last_prompt(), HasSubstr("Be kind."));
    EXPECT_THAT(last_prompt(), Not(HasSubstr("Be brief.")));
}

TEST_F(responses, are_known_by_their_items) {
    start();
    const auto first = whole(ask("Hello!"));
    json next = ask("");
    next["input"] = json::array({{{"role", "user"}, {"content", "Hello!"}},
                                 {{"type", "item_reference"}, {"id", first["output"][0]["id"]}},
                                 {{"role", "user"}, {"content", "And you?"}}});
    whole(next);
    EXPECT_EQ(last_prompt(), mock::render_prompt(
                                 {{"user", "Hello!"}, {"assistant", story}, {"user", "And you?"}}));
    next["input"][1]["id"] = "msg_none_0";
    EXPECT_THAT(refused(next)["message"].get<std::string>(), HasSubstr("msg_none_0"));
}

TEST_F(responses, are_unknown_unless_they_are_stored) {
    start();
    const auto first = whole(ask("Hello!", {{"store", false}}));
    const auto error = refused(ask("And you?", {{"previous_response_id", first["id"]}}));
    EXPECT_EQ(error["code"], "previous_response_not_found");
    EXPECT_EQ(error["param"], "previous_response_id");
}

TEST_F(responses, are_unknown_to_other_keys) {
    const auto mine = gateway::make_api_key();
    const auto other = gateway::make_api_key();
    options.keys =
        gateway::api_keys({{.name = "mine", .sha256 = *gateway::hash_sha256(mine.key)},
                           {.name = "other", .sha256 = *gateway::hash_sha256(other.key)}});
    start();
    auto c = client();
    c.headers["Authorization"] = "Bearer " + mine.key;
    const auto id = c.post(path, ask("Hello!")).parsed()["id"];
    c.headers["Authorization"] = "Bearer " + other.key;
    const auto stolen = c.post(path, ask("And you?", {{"previous_response_id", id}}));
    EXPECT_EQ(stolen.parsed()["error"]["code"], "previous_response_not_found");
}

TEST_F(responses, call_functions_and_are_given_their_output) {
    server_options.tool_template = true;
    server_options.replies = {
        {"",
         "<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\":\"Bonn\"}}\n"
         "</tool_call>"}};
    start();
    const json tools = {{{"type", "function"},
                         {"name", "weather"},
                         {"parameters", {{"type", "object"}}},
                         {"strict", true}}};
    const auto first = whole(ask("Weather?", {{"tools", tools}}));
    const auto call = first["output"][0];
    EXPECT_EQ(call["type"], "function_call");
    EXPECT_EQ(call["name"], "weather");
    EXPECT_EQ(json::parse(call["arguments"].get<std::string>())["city"], "Bonn");
    json next = ask("", {{"tools", tools}, {"previous_response_id", first["id"]}});
    next["input"] = json::array({{{"role", "user"}, {"content", "And?"}}});
    EXPECT_THAT(refused(next)["message"].get<std::string>(),
                HasSubstr(call["call_id"].get<std::string>()));
    next["input"] = json::array(
        {{{"type", "function_call_output"}, {"call_id", call["call_id"]}, {"output", "Sunny."}}});
    whole(next);
    // Searches all requests, because the last one may be a prefill after the call.
    EXPECT_TRUE(std::ranges::any_of(
        mock_server->observe().of_path("/completion"),
        [](const auto& r) { return r.prompt.find("Sunny.") != std::string::npos; }));
    const auto streamed = stream(ask("Weather?", {{"tools", tools}}));
    EXPECT_EQ(streamed.back()["response"]["output"][0]["name"], "weather");
}

TEST_F(responses, are_cancelled_if_the_client_is_gone) {
    server_options.tokens_per_second = 20;
    start();
    auto c = client();
    c.send_request("POST", path, ask("Hello!", {{"stream", true}}).dump());
    ASSERT_TRUE(c.read_until("output_text.delta"));
    c.close();
    EXPECT_TRUE(server_sees(mock::outcome::cut));
}

TEST_F(responses, check_the_prompt_policy) {
    options.prompts.denied = {"secret sauce"};
    start();
    EXPECT_EQ(refused(ask("Secret sauce?"))["code"], "content_policy");
    EXPECT_THAT(mock_server->observe().of_path("/completion"), IsEmpty());
}

}  // namespace

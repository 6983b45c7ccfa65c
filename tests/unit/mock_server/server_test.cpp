#include "tandem_mock/server.hpp"

#include "raw_client.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <thread>

namespace tandem::mock {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using test::ending;
using test::raw_client;

options a_talking_server() {
    options o;
    o.replies = {{"Hi", " there! How are you?"}};
    return o;
}

options talking_slowly(double tokens_per_second = 50) {
    options o = a_talking_server();
    o.replies[0].reply = " one two three four five six seven eight nine ten eleven twelve.";
    o.tokens_per_second = tokens_per_second;
    return o;
}

json streamed(int id_slot = -1, const std::string& prompt = "Hi") {
    return {{"prompt", prompt}, {"stream", true}, {"id_slot", id_slot}};
}

json error_of(const test::answer& a) {
    return json::parse(a.body).at("error");
}

bool all_ended(const observations& seen) {
    return std::all_of(seen.requests.begin(), seen.requests.end(),
                       [](const request_record& r) { return r.ended.has_value(); });
}

TEST(server, streams_a_reply_and_ends_it_with_a_final_event) {
    server s(a_talking_server());
    const auto a = test::post(s.port(), "/completion", streamed());
    EXPECT_EQ(a.status, 200);
    EXPECT_TRUE(a.is_whole);
    const auto events = test::events_of(a.body);
    EXPECT_EQ(test::content_of(events), " there! How are you?");
    EXPECT_TRUE(events.back()["stop"].get<bool>());
    EXPECT_EQ(events.back()["prompt"], "<|endoftext|>Hi");
}

TEST(server, sends_the_headers_of_a_stream) {
    server s(a_talking_server());
    const auto a = test::post(s.port(), "/completion", streamed());
    EXPECT_NE(a.head.find("Content-Type: text/event-stream\r\n"), a.head.npos);
    EXPECT_NE(a.head.find("Transfer-Encoding: chunked\r\n"), a.head.npos);
    EXPECT_NE(a.head.find("X-Accel-Buffering: no\r\n"), a.head.npos);
    EXPECT_NE(a.head.find("Keep-Alive: timeout=5, max=100\r\n"), a.head.npos);
}

TEST(server, closes_the_connection_only_when_asked_to) {
    server s(a_talking_server());
    raw_client c(s.port());
    c.post("/completion", streamed());
    EXPECT_TRUE(c.read_answer().is_whole);
    c.get("/health", "Connection: close\r\n");
    const auto last = c.read_answer();
    EXPECT_EQ(last.body, R"({"status":"ok"})");
    EXPECT_NE(last.head.find("Connection: close\r\n"), last.head.npos);
    EXPECT_EQ(c.read_end(), ending::closed);
    EXPECT_EQ(s.observe().connections, 1u);
}

TEST(server, closes_a_connection_that_is_idle_for_long) {
    options o;
    o.keep_alive_timeout = milliseconds(10);
    server s(o);
    raw_client c(s.port());
    c.get("/health");
    EXPECT_EQ(c.read_end(), ending::closed);
}

TEST(server, answers_requests_sent_ahead_in_turn) {
    server s(a_talking_server());
    raw_client c(s.port());
    c.post("/completion", streamed());
    c.get("/health");
    EXPECT_EQ(test::events_of(c.read_answer().body).back()["stop"], true);
    EXPECT_EQ(c.read_answer().body, R"({"status":"ok"})");
}

TEST(server, lets_a_client_wait_before_it_sends_its_body) {
    server s(a_talking_server());
    raw_client c(s.port());
    c.send("POST /tokenize HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 16\r\n\r\n");
    c.read_until("HTTP/1.1 100 Continue\r\n\r\n");
    c.send(R"({"content": "a"})");
    c.read_until(R"({"tokens":[97]})");
}

TEST(server, sends_no_byte_before_the_slot_is_free) {
    server s(talking_slowly());
    raw_client first(s.port()), second(s.port());
    first.post("/completion", streamed(0));
    first.read_events(1);
    second.post("/completion", streamed(0));
    EXPECT_TRUE(s.wait_until([](const observations& seen) {
        return seen.requests.size() == 2 && seen.requests[1].deferred;
    }));
    EXPECT_TRUE(second.is_silent());
    EXPECT_TRUE(first.read_answer().is_whole);
    EXPECT_TRUE(second.read_answer().is_whole);
}

TEST(server, answers_in_one_piece_without_stream) {
    server s(a_talking_server());
    const auto a = test::post(s.port(), "/completion", {{"prompt", "Hi"}, {"n_predict", 2}});
    const json answer = json::parse(a.body);
    EXPECT_EQ(answer["content"], " there!");
    EXPECT_EQ(answer["stop_type"], "limit");
}

TEST(server, follows_its_dialogues) {
    options o;
    o.dialogues = {{"greeting", {{"user", "Hello!"}, {"assistant", "Good day."}}}};
    server s(o);
    const json messages{{"messages", {{{"role", "user"}, {"content", "Hello!"}}}}};
    const json prompt = json::parse(test::post(s.port(), "/apply-template", messages).body);
    const auto a = test::post(s.port(), "/completion", {{"prompt", prompt["prompt"]}});
    EXPECT_EQ(json::parse(a.body)["content"], "Good day.");
}

TEST(server, reports_its_slots_and_context_in_props) {
    server s({.parallel = 4, .ctx_size = 4096, .build_info = "b1"});
    const json props = json::parse(test::get(s.port(), "/props").body);
    EXPECT_EQ(props["total_slots"], 4);
    EXPECT_EQ(props["default_generation_settings"]["n_ctx"], 1024);
    EXPECT_EQ(props["build_info"], "b1");
    EXPECT_EQ(props["eos_token"], "<|im_end|>");
}

TEST(server, reports_the_whole_context_for_each_slot_of_a_unified_one) {
    server s({.parallel = 4, .ctx_size = 4096, .kv_unified = true});
    const json props = json::parse(test::get(s.port(), "/props").body);
    EXPECT_EQ(props["default_generation_settings"]["n_ctx"], 4096);
    for (const json& slot : json::parse(test::get(s.port(), "/slots").body)) {
        EXPECT_EQ(slot["n_ctx"], 4096);
    }
}

TEST(server, reports_its_model) {
    server s({.model = "talk"});
    const json models = json::parse(test::get(s.port(), "/v1/models").body);
    EXPECT_EQ(models["data"][0]["id"], "talk");
    EXPECT_EQ(models["data"][0]["meta"]["n_ctx"], 8192);
}

TEST(server, has_text_and_ids_of_tokens_agree) {
    server s({});
    const json content{{"content", "Hello, world! Grüße."}, {"add_special", true}};
    const json tokens = json::parse(test::post(s.port(), "/tokenize", content).body);
    const json text = json::parse(test::post(s.port(), "/detokenize", tokens).body);
    EXPECT_EQ(text["content"], "<|endoftext|>Hello, world! Grüße.");
}

TEST(server, tells_pieces_that_are_no_text_as_bytes) {
    server s({});
    const json content{{"content", "aé"}, {"with_pieces", true}};
    const json tokens = json::parse(test::post(s.port(), "/tokenize", content).body)["tokens"];
    EXPECT_EQ(tokens, json::parse(R"([{"id":97,"piece":"a"},{"id":195,"piece":[195]},
                                      {"id":169,"piece":[169]}])"));
}

TEST(server, detokenizes_half_a_character_to_the_replacement_character) {
    server s({});
    const auto a = test::post(s.port(), "/detokenize", {{"tokens", {97, 195}}});
    EXPECT_EQ(json::parse(a.body)["content"], "a\xEF\xBF\xBD");
}

TEST(server, takes_names_of_special_tokens_as_text_on_demand) {
    server s({});
    json content{{"content", "<|im_end|>"}};
    EXPECT_EQ(json::parse(test::post(s.port(), "/tokenize", content).body)["tokens"].size(), 1u);
    content["parse_special"] = false;
    EXPECT_GT(json::parse(test::post(s.port(), "/tokenize", content).body)["tokens"].size(), 1u);
}

TEST(server, shows_a_running_slot_as_processing) {
    server s(talking_slowly());
    raw_client c(s.port());
    c.post("/completion", streamed(1));
    c.read_events(1);
    const json slots = json::parse(test::get(s.port(), "/slots").body);
    EXPECT_FALSE(slots[0]["is_processing"].get<bool>());
    EXPECT_FALSE(slots[0].contains("id_task"));
    EXPECT_TRUE(slots[1]["is_processing"].get<bool>());
    EXPECT_EQ(slots[1]["next_token"][0]["has_next_token"], true);
}

TEST(server, resets_the_counters_of_a_slot_when_it_is_released) {
    server s(a_talking_server());
    test::post(s.port(), "/completion", streamed(0));
    const json slot = json::parse(test::get(s.port(), "/slots").body)[0];
    EXPECT_FALSE(slot["is_processing"].get<bool>());
    EXPECT_EQ(slot["n_prompt_tokens"], 2 + 6);  // BOS, "Hi" and the reply
    EXPECT_EQ(slot["n_prompt_tokens_processed"], 0);
}

TEST(server, reports_when_no_slot_is_idle) {
    options o = talking_slowly();
    o.parallel = 1;
    server s(o);
    EXPECT_EQ(test::get(s.port(), "/slots?fail_on_no_slot=1").status, 200);
    raw_client c(s.port());
    c.post("/completion", streamed());
    c.read_events(1);
    EXPECT_EQ(test::get(s.port(), "/slots?fail_on_no_slot=1").status, 503);
}

TEST(server, erases_a_slot_if_that_is_allowed) {
    options o = a_talking_server();
    EXPECT_EQ(test::post(server(o).port(), "/slots/0?action=erase", json::object()).status, 501);
    o.slot_actions = true;
    server s(o);
    test::post(s.port(), "/completion", streamed(0));
    const auto a = test::post(s.port(), "/slots/0?action=erase", json::object());
    EXPECT_EQ(a.body, R"({"id_slot":0,"n_erased":8})");
    EXPECT_EQ(s.observe().slots[0].tokens, 0);
}

TEST(server, refuses_what_the_server_refuses) {
    options o;
    o.slots_endpoint = false;
    o.slot_actions = true;
    server s(o);
    const std::string too_long(9000, '\n');
    const struct {
        test::answer answer;
        int status;
        std::string type;
    } table[] = {
        {test::post_text(s.port(), "/completion", "{"), 400, "invalid_request_error"},
        {test::post(s.port(), "/completion", json::object()), 400, "invalid_request_error"},
        {test::post(s.port(), "/completion", streamed(0, too_long)), 400,
         "exceed_context_size_error"},
        {test::post_text(s.port(), "/tokenize", "{"), 400, "invalid_request_error"},
        {test::post(s.port(), "/detokenize", {{"tokens", {-5}}}), 400, "invalid_request_error"},
        {test::post(s.port(), "/apply-template", json::object()), 400, "invalid_request_error"},
        {test::post(s.port(), "/slots/x?action=erase", json::object()), 400,
         "invalid_request_error"},
        {test::get(s.port(), "/nowhere"), 404, "not_found_error"},
        {test::get(s.port(), "/completion"), 404, "not_found_error"},
        {test::get(s.port(), "/slots"), 501, "not_supported_error"},
        {test::get(s.port(), "/metrics"), 501, "not_supported_error"},
    };
    for (const auto& row : table) {
        EXPECT_EQ(row.answer.status, row.status) << row.answer.body;
        EXPECT_EQ(error_of(row.answer)["type"], row.type);
        EXPECT_EQ(error_of(row.answer)["code"], row.status);
    }
}

TEST(server, refuses_bytes_that_are_no_http) {
    server s({});
    raw_client c(s.port());
    c.send("nonsense\r\n\r\n");
    EXPECT_EQ(c.read_answer().status, 400);
    EXPECT_EQ(c.read_end(), ending::closed);
}

TEST(server, wants_its_api_key) {
    options o = a_talking_server();
    o.api_key = "secret";
    server s(o);
    EXPECT_EQ(test::get(s.port(), "/health").status, 200);
    const auto refused = test::get(s.port(), "/v1/models");
    EXPECT_EQ(refused.status, 401);
    EXPECT_EQ(error_of(refused)["type"], "authentication_error");
    EXPECT_EQ(test::get(s.port(), "/props", "Authorization: Bearer wrong\r\n").status, 401);
    EXPECT_EQ(test::get(s.port(), "/props", "Authorization: Bearer secret\r\n").status, 200);
    EXPECT_EQ(test::get(s.port(), "/props", "X-Api-Key: secret\r\n").status, 200);
}

TEST(server, is_unavailable_while_it_loads) {
    options o = a_talking_server();
    o.load_time = std::chrono::hours(1);
    server s(o);
    for (const char* path : {"/health", "/props", "/nowhere"}) {
        const auto a = test::get(s.port(), path);
        EXPECT_EQ(a.status, 503) << path;
        EXPECT_EQ(error_of(a)["type"], "unavailable_error");
        EXPECT_EQ(error_of(a)["message"], "Loading model");
    }
}

// The slot stops at the next token, however the client leaves.
struct way_to_leave {
    std::string name;
    void (raw_client::*leave)();
};
class cut_by : public testing::TestWithParam<way_to_leave> {};

TEST_P(cut_by, a_client_that_leaves) {
    server s(talking_slowly());
    raw_client c(s.port());
    c.post("/completion", streamed(0));
    c.read_events(2);
    (c.*GetParam().leave)();
    ASSERT_TRUE(s.wait_until(all_ended));
    const observations seen = s.observe();
    EXPECT_EQ(seen.requests[0].outcome, outcome::cut);
    EXPECT_GE(seen.requests[0].generated, 3);
    EXPECT_EQ(seen.slots[0].cuts, 1);
    EXPECT_TRUE(seen.slots[0].history[0].cut);
    EXPECT_FALSE(seen.slots[0].is_processing);
    // BOS, "Hi" and all tokens except the last, which was sampled but not evaluated.
    EXPECT_EQ(seen.slots[0].tokens, 2 + seen.requests[0].generated - 1);
}

INSTANTIATE_TEST_SUITE_P(server, cut_by,
                         testing::Values(way_to_leave{"close", &raw_client::close},
                                         way_to_leave{"reset", &raw_client::reset},
                                         way_to_leave{"half_close", &raw_client::half_close}),
                         [](const auto& way) { return way.param.name; });

TEST(server, continues_for_a_client_that_does_not_read) {
    server s(a_talking_server());
    raw_client c(s.port());
    c.post("/completion", {{"prompt", "Hi"},
                           {"stream", true},
                           {"ignore_eos", true},
                           {"n_predict", 5000},
                           {"timings_per_token", true}});
    EXPECT_TRUE(s.wait_until([](const observations& seen) {
        return !seen.requests.empty() && seen.requests[0].generated == 5000;
    }));
    EXPECT_TRUE(c.read_answer().is_whole);
}

TEST(server, continues_without_a_client_that_asked_for_a_resumable_stream) {
    server s(talking_slowly(500));
    raw_client c(s.port());
    c.post("/completion", streamed(0), "X-Conversation-Id: x\r\n");
    c.read_events(1);
    c.close();
    ASSERT_TRUE(s.wait_until(all_ended));
    EXPECT_EQ(s.observe().requests[0].outcome, outcome::complete);
}

TEST(server, notes_what_it_saw) {
    server s(a_talking_server());
    test::post(s.port(), "/completion", streamed(5), "X-Thing: yes\r\n");
    ASSERT_TRUE(s.wait_until(all_ended));
    const request_record r = s.observe().of_path("/completion").at(0);
    EXPECT_EQ(r.method, "POST");
    EXPECT_EQ(r.header("x-thing"), "yes");
    EXPECT_EQ(r.prompt, "Hi");
    EXPECT_FALSE(r.prompt_as_ids);
    EXPECT_EQ(json::parse(r.body)["id_slot"], 5);
    EXPECT_EQ(r.id_slot, 5);
    EXPECT_EQ(r.slot, 1);
    EXPECT_EQ(r.status, 200);
    EXPECT_EQ(r.outcome, outcome::complete);
    EXPECT_EQ(r.prompt_tokens, 2);
    EXPECT_EQ(r.generated, 7);
    EXPECT_LE(r.arrived, *r.started);
    EXPECT_LE(*r.started, *r.ended);
}

TEST(server, notes_when_each_slot_was_used) {
    server s(a_talking_server());
    for (int slot : {0, 1, 0}) test::post(s.port(), "/completion", streamed(slot));
    ASSERT_TRUE(s.wait_until(all_ended));
    const observations seen = s.observe();
    EXPECT_EQ(seen.slots[0].uses, 2);
    EXPECT_EQ(seen.slots[1].uses, 1);
    EXPECT_EQ(seen.slots[0].history[1].request, 3u);
    EXPECT_EQ(seen.slots[0].last_used, seen.slots[0].history[1].end);
}

TEST(server, dies_when_a_cut_slot_is_used_again_too_soon) {
    options o = talking_slowly();
    o.crash_within = std::chrono::hours(1);
    std::string message;
    o.on_crash = [&message](const std::string& m) { message = m; };
    server s(o);
    raw_client bystander(s.port()), first(s.port()), second(s.port());
    bystander.get("/health");
    bystander.read_answer();
    first.post("/completion", streamed(0));
    first.read_events(2);
    first.close();
    second.post("/completion", streamed(0));
    EXPECT_EQ(second.read_end(), ending::reset);
    EXPECT_EQ(bystander.read_end(), ending::reset);
    EXPECT_TRUE(s.wait_until([](const observations& seen) { return seen.crashed; }));
    EXPECT_TRUE(s.crashed());
    EXPECT_THROW(raw_client(s.port()), std::exception);
    s.stop();
    EXPECT_EQ(message.substr(0, 42), "GGML_ASSERT(!slot.is_processing()) failed\n");
}

TEST(server, survives_when_each_cut_is_followed_by_the_other_slot) {
    options o = talking_slowly();
    o.crash_within = milliseconds(20);
    server s(o);
    for (int hop = 0; hop < 6; ++hop) {
        raw_client c(s.port());
        c.post("/completion", streamed(hop % 2));
        c.read_events(3);
    }
    EXPECT_FALSE(s.crashed());
    EXPECT_TRUE(s.wait_until(all_ended));
}

TEST(server, refuses_options_out_of_range) {
    EXPECT_THROW(server({.parallel = 0}), std::invalid_argument);
    EXPECT_THROW(server({.parallel = 4, .ctx_size = 4}), std::invalid_argument);
    EXPECT_THROW(server({.tokens_per_second = -1}), std::invalid_argument);
    EXPECT_THROW(server({.ssl_cert_file = "only.pem"}), std::invalid_argument);
}

TEST(server, stops_with_requests_under_way) {
    server s(talking_slowly(1));
    raw_client running(s.port()), waiting(s.port()), idle(s.port());
    running.post("/completion", streamed(0));
    running.read_events(1);
    waiting.post("/completion", streamed(0));
    s.stop();
    EXPECT_NE(running.read_end(), ending::open);
    s.stop();
}

TEST(server, serves_many_clients_at_once) {
    server s(a_talking_server());
    std::vector<std::thread> clients;
    std::atomic<int> whole{0};
    for (int i = 0; i < 8; ++i) {
        clients.emplace_back([&] {
            for (int n = 0; n < 25; ++n) {
                whole += test::post(s.port(), "/completion", streamed(n)).is_whole ? 1 : 0;
            }
        });
    }
    for (auto& c : clients) c.join();
    EXPECT_EQ(whole, 200);
}

}  // namespace
}  // namespace tandem::mock

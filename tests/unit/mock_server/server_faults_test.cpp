#include "raw_client.hpp"
#include "tandem_mock/server.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::mock {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using test::ending;
using test::raw_client;

options talking() {
    options o;
    o.replies = {{"Hi", " one two three four."}};
    return o;
}

const json streamed_with{{"prompt", "Hi"}, {"stream", true}};

// What a client receives from a stream with a fault, and how the connection ends.
struct fate {
    std::string content;
    bool is_whole;
    bool has_final;
    ending end;
};

fate fate_of(server& s, const json& request = streamed_with) {
    raw_client c(s.port());
    c.post("/completion", request, "Connection: close\r\n");
    const test::answer a = c.read_answer();
    fate f;
    const auto events = test::events_of(a.body);
    f.content = test::content_of(events);
    f.is_whole = a.is_whole;
    f.has_final = !events.empty() && events.back().value("stop", false);
    f.end = c.read_end();
    return f;
}

TEST(server_faults, reset_a_stream) {
    server s(talking());
    s.inject({.kind = fault_kind::reset, .at_token = 2});
    EXPECT_EQ(fate_of(s).end, ending::reset);
    EXPECT_TRUE(s.wait_until(
        [](const observations& seen) { return seen.requests[0].outcome == outcome::faulted; }));
    EXPECT_TRUE(fate_of(s).has_final);
}

TEST(server_faults, close_a_stream) {
    server s(talking());
    s.inject({.kind = fault_kind::close, .at_token = 2});
    const fate f = fate_of(s);
    EXPECT_EQ(f.content, " one two");
    EXPECT_FALSE(f.is_whole);
    EXPECT_EQ(f.end, ending::closed);
}

TEST(server_faults, end_a_stream_without_its_final_event) {
    server s(talking());
    s.inject({.kind = fault_kind::no_final, .at_token = -1});
    const fate f = fate_of(s);
    EXPECT_EQ(f.content, " one two three four.");
    EXPECT_TRUE(f.is_whole);
    EXPECT_FALSE(f.has_final);
}

TEST(server_faults, leave_the_next_request_of_the_connection_alone) {
    options o = talking();
    o.tokens_per_second = 100;
    server s(o);
    s.inject({.kind = fault_kind::no_final, .at_token = 1});
    raw_client c(s.port());
    c.post("/completion", streamed_with);
    EXPECT_TRUE(c.read_answer().is_whole);
    c.post("/completion", streamed_with);
    EXPECT_TRUE(test::events_of(c.read_answer().body).back()["stop"].get<bool>());
}

TEST(server_faults, break_a_stream_with_an_error_event) {
    server s(talking());
    s.inject({.kind = fault_kind::stream_error, .at_token = 2, .text = "boom"});
    const auto a = test::post(s.port(), "/completion", streamed_with);
    EXPECT_EQ(a.status, 200);
    EXPECT_TRUE(a.is_whole);
    EXPECT_EQ(test::events_of(a.body).back()["error"]["message"], "boom");
}

TEST(server_faults, delay_headers) {
    server s(talking());
    s.inject({.kind = fault_kind::slow_headers, .duration = std::chrono::hours(1)});
    raw_client c(s.port());
    c.post("/completion", streamed_with);
    EXPECT_TRUE(s.wait_until(
        [](const observations& seen) { return !seen.requests.empty() && seen.requests[0].ended; }));
    EXPECT_TRUE(c.is_silent());
}

TEST(server_faults, pause_in_the_middle_of_an_event) {
    server s(talking());
    s.inject({.kind = fault_kind::half_event, .duration = milliseconds(1)});
    const fate f = fate_of(s);
    EXPECT_EQ(f.content, " one two three four.");
    EXPECT_TRUE(f.has_final);
}

TEST(server_faults, stall_until_the_client_gives_up) {
    options o = talking();
    o.poll_interval = milliseconds(1);
    server s(o);
    s.inject({.kind = fault_kind::stall, .at_token = 2});
    raw_client c(s.port());
    c.post("/completion", streamed_with);
    c.read_events(2);
    c.close();
    EXPECT_TRUE(s.wait_until([](const observations& seen) {
        return seen.requests[0].outcome == outcome::cut && !seen.slots[0].is_processing;
    }));
}

// The model is slow enough that the client leaves long before the context is full.
options talking_without_end() {
    options o = talking();
    o.tokens_per_second = 200;
    return o;
}

const json endless{{"prompt", "Hi"}, {"stream", true}, {"ignore_eos", true}, {"id_slot", 0}};

TEST(server_faults, leave_a_slot_busy_that_was_cut) {
    server s(talking_without_end());
    s.inject({.kind = fault_kind::unnoticed_cut});
    raw_client c(s.port());
    c.post("/completion", endless);
    c.read_events(2);
    c.close();
    ASSERT_TRUE(s.wait_until(
        [](const observations& seen) { return seen.requests[0].client_gone.has_value(); }));
    const int generated = s.observe().requests[0].generated;
    EXPECT_TRUE(s.wait_until([generated](const observations& seen) {
        return seen.requests[0].generated >= generated + 5;
    }));
    const json slots = json::parse(test::get(s.port(), "/slots").body);
    EXPECT_TRUE(slots[0]["is_processing"].get<bool>());
    EXPECT_FALSE(slots[1]["is_processing"].get<bool>());
}

TEST(server_faults, notice_a_cut_late) {
    server s(talking_without_end());
    s.inject({.kind = fault_kind::unnoticed_cut, .duration = milliseconds(1)});
    raw_client c(s.port());
    c.post("/completion", endless);
    c.read_events(2);
    c.close();
    EXPECT_TRUE(s.wait_until([](const observations& seen) {
        return seen.requests[0].outcome == outcome::cut && !seen.slots[0].is_processing;
    }));
}

TEST(server_faults, send_garbage) {
    server s(talking());
    s.inject({.kind = fault_kind::garbage, .at_token = 1, .text = "garbage\n\n"});
    const auto a = test::post(s.port(), "/completion", streamed_with);
    EXPECT_NE(a.body.find("}\n\ngarbage\n\ndata: "), a.body.npos);
}

TEST(server_faults, answer_other_paths_with_errors) {
    server s(talking());
    s.inject(
        {.kind = fault_kind::http_error, .path = "/props", .status = 429, .text = "slow down"});
    EXPECT_EQ(test::get(s.port(), "/health").status, 200);
    const auto a = test::get(s.port(), "/props");
    EXPECT_EQ(a.status, 429);
    EXPECT_EQ(json::parse(a.body)["error"]["message"], "slow down");
    EXPECT_EQ(test::get(s.port(), "/props").status, 200);
}

TEST(server_faults, make_the_server_unavailable) {
    server s(talking());
    s.inject({.kind = fault_kind::unavailable, .times = 2});
    EXPECT_EQ(test::post(s.port(), "/completion", streamed_with).status, 503);
    EXPECT_EQ(test::post(s.port(), "/completion", streamed_with).status, 503);
    EXPECT_EQ(test::post(s.port(), "/completion", streamed_with).status, 200);
}

TEST(server_faults, kill_the_server) {
    for (const char* path : {"/completion", "/props"}) {
        server s(talking());
        s.inject({.kind = fault_kind::crash, .at_token = 2, .path = path});
        raw_client c(s.port());
        c.post(path, streamed_with);
        EXPECT_EQ(c.read_end(), ending::reset) << path;
        EXPECT_TRUE(s.wait_until([](const observations& seen) { return seen.crashed; }));
    }
}

TEST(server_faults, come_from_options_and_from_the_request_itself) {
    options o = talking();
    o.faults = {{.kind = fault_kind::close, .at_token = 1}};
    server s(o);
    EXPECT_EQ(fate_of(s).content, " one");
    json request = streamed_with;
    request["mock_fault"] = "close:at_token=3";
    EXPECT_EQ(fate_of(s, request).content, " one two three");
}

TEST(server_faults, can_be_taken_back) {
    server s(talking());
    s.inject({.kind = fault_kind::reset});
    s.clear_faults();
    EXPECT_TRUE(fate_of(s).has_final);
}

}  // namespace
}  // namespace tandem::mock

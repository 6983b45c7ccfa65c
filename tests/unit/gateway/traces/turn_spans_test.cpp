// The spans of a turn, made from its events.
#include "gateway/traces/turn_spans.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using kind = timeline_event::kind;

const time_point turn_began_at = time_point(100s);
const std::chrono::system_clock::time_point wall(1'700'000'000s);

timeline_event happened(kind what, duration at, int chunk = -1) {
    return {.what = what, .at_ns = at.count(), .chunk = chunk};
}

/// A turn of 2 s. Its reply begins after 10 ms, and has two chunks from two requests. The second
/// chunk is interrupted.
traced_turn spoken_turn() {
    traced_turn t{.context = {.trace = std::string(32, 'a'), .id = std::string(16, 'b')},
                  .name = "voice turn",
                  .model = "talk",
                  .began = turn_began_at,
                  .ended = turn_began_at + 2s,
                  .ended_wall = wall};
    t.context.parent = std::string(16, 'c');
    t.first_chunk_at = turn_began_at + 300ms;
    t.interrupted_at = turn_began_at + 1900ms;
    t.reply = traced_reply{.began = turn_began_at + 10ms, .reason = finish_reason::interrupted};
    t.reply->servers = {"http://10.0.0.7:8080"};
    t.reply->requests = {{.server = 0,
                          .slot = 3,
                          .sent_ns = duration(20ms).count(),
                          .first_token_ns = duration(120ms).count(),
                          .ended_ns = duration(280ms).count(),
                          .cached = 40,
                          .evaluated = 6,
                          .generated = 9},
                         {.server = 0,
                          .slot = 3,
                          .sent_ns = duration(900ms).count(),
                          .first_token_ns = duration(950ms).count(),
                          .ended_ns = duration(1890ms).count(),
                          .cached = 46,
                          .evaluated = 1,
                          .generated = 30}};
    t.reply->timeline = {happened(kind::request, 20ms),       happened(kind::first_token, 120ms),
                         happened(kind::cut, 280ms),          happened(kind::chunk, 289ms, 0),
                         happened(kind::continued, 890ms, 0), happened(kind::request, 900ms),
                         happened(kind::first_token, 950ms),  happened(kind::chunk, 1100ms, 1),
                         happened(kind::cut, 1890ms),         happened(kind::end, 1890ms)};
    return t;
}

std::vector<span> spans_of(const traced_turn& turn) {
    return build_spans(turn, [n = std::uint64_t{0}]() mutable { return ++n; });
}

template <class Value>
Value attribute(const span& s, const std::string& key) {
    const auto found = std::ranges::find(s.attributes, key, [](const auto& a) { return a.first; });
    return found == s.attributes.end() ? Value() : std::get<Value>(found->second);
}

bool has_attribute(const span& s, const std::string& key) {
    return std::ranges::find(s.attributes, key, [](const auto& a) { return a.first; }) !=
           s.attributes.end();
}

std::vector<std::string> event_names(const span& s) {
    std::vector<std::string> names;
    for (const auto& e : s.events) names.push_back(e.name);
    return names;
}

std::int64_t unix_ns(duration after_start) {
    return std::chrono::nanoseconds(wall.time_since_epoch() - 2s + after_start).count();
}

TEST(turn_spans, put_each_request_below_the_turn_and_the_turn_below_its_caller) {
    const auto all = spans_of(spoken_turn());
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].id, std::string(16, 'b'));
    EXPECT_EQ(all[0].parent, std::string(16, 'c'));
    for (const auto& s : all) EXPECT_EQ(s.trace, std::string(32, 'a'));
    EXPECT_EQ(all[1].parent, all[0].id);
    EXPECT_EQ(all[2].parent, all[0].id);
    EXPECT_EQ(all[1].id, "0000000000000001");
    EXPECT_EQ(all[2].id, "0000000000000002");
}

TEST(turn_spans, have_the_times_of_the_wall_clock) {
    const auto all = spans_of(spoken_turn());
    EXPECT_EQ(all[0].began_unix_ns, unix_ns(0s));
    EXPECT_EQ(all[0].ended_unix_ns, unix_ns(2s));
    EXPECT_EQ(all[1].began_unix_ns, unix_ns(30ms));
    EXPECT_EQ(all[1].ended_unix_ns, unix_ns(290ms));
    EXPECT_EQ(all[2].ended_unix_ns, unix_ns(1900ms));
}

TEST(turn_spans, describe_a_request_as_the_conventions_do) {
    const auto chat = spans_of(spoken_turn()).at(1);
    EXPECT_EQ(chat.name, "chat talk");
    EXPECT_EQ(chat.what, span::kind::client);
    EXPECT_EQ(attribute<std::string>(chat, "gen_ai.operation.name"), "chat");
    EXPECT_EQ(attribute<std::string>(chat, "gen_ai.request.model"), "talk");
    EXPECT_EQ(attribute<std::string>(chat, "server.address"), "10.0.0.7");
    EXPECT_EQ(attribute<std::int64_t>(chat, "server.port"), 8080);
    EXPECT_EQ(attribute<std::int64_t>(chat, "gen_ai.usage.input_tokens"), 46);
    EXPECT_EQ(attribute<std::int64_t>(chat, "gen_ai.usage.cache_read.input_tokens"), 40);
    EXPECT_EQ(attribute<std::int64_t>(chat, "gen_ai.usage.output_tokens"), 9);
    EXPECT_EQ(attribute<double>(chat, "gen_ai.response.time_to_first_chunk"), 0.1);
    EXPECT_THAT(event_names(chat), ElementsAre("first_token"));
}

TEST(turn_spans, name_the_port_of_a_server_at_an_address) {
    for (const auto* url : {"http://localhost:34953", "http://localhost:34953#::1",
                            "http://localhost:34953#127.0.0.1", "http://[::1]:34953/a:b"}) {
        auto turn = spoken_turn();
        turn.reply->servers = {url};
        EXPECT_EQ(attribute<std::int64_t>(spans_of(turn).at(1), "server.port"), 34953) << url;
    }
}

TEST(turn_spans, give_the_reason_of_the_end_to_the_turn_and_its_last_request) {
    const auto all = spans_of(spoken_turn());
    const std::string key = "gen_ai.response.finish_reasons";
    EXPECT_THAT(attribute<std::vector<std::string>>(all[0], key), ElementsAre("interrupted"));
    EXPECT_FALSE(has_attribute(all[1], key));
    EXPECT_THAT(attribute<std::vector<std::string>>(all[2], key), ElementsAre("interrupted"));
}

TEST(turn_spans, have_the_events_of_the_turn_in_their_order) {
    auto turn = spoken_turn();
    turn.called_at = turn_began_at + 1200ms;
    turn.reply->calls = {{.id = "call_1", .name = "book", .arguments = {}}};
    const auto all = spans_of(turn);
    EXPECT_THAT(event_names(all[0]),
                ElementsAre("chunk", "continue", "chunk", "call", "interrupt"));
    EXPECT_EQ(all[0].events[0].unix_ns, unix_ns(299ms));
    EXPECT_EQ(all[0].events[4].unix_ns, unix_ns(1900ms));
}

double sum_of_parts(const span& s) {
    double sum = 0;
    for (const auto& [key, value] : s.attributes)
        if (key.starts_with("tandem.wait.") && key != "tandem.wait.total")
            sum += std::get<double>(value);
    return sum;
}

TEST(turn_spans, split_the_wait_for_the_first_chunk_into_parts_that_add_up) {
    auto turn = spoken_turn();
    turn.user_stopped_ago = 700ms;
    turn.vad_stop = 500ms;
    const auto s = spans_of(turn).front();
    EXPECT_NEAR(attribute<double>(s, "tandem.wait.total"), 1.0, 1e-9);
    EXPECT_NEAR(sum_of_parts(s), 1.0, 1e-9);
    EXPECT_NEAR(attribute<double>(s, "tandem.wait.detector"), 0.5, 1e-9);
    EXPECT_NEAR(attribute<double>(s, "tandem.wait.first_token"), 0.1, 1e-9);
}

TEST(turn_spans, begin_the_wait_with_the_turn_if_the_client_reports_no_other_time) {
    const auto s = spans_of(spoken_turn()).front();
    EXPECT_NEAR(attribute<double>(s, "tandem.wait.total"), 0.3, 1e-9);
    EXPECT_NEAR(sum_of_parts(s), 0.3, 1e-9);
    EXPECT_FALSE(has_attribute(s, "tandem.wait.detector"));
}

TEST(turn_spans, have_no_wait_for_a_given_text) {
    auto turn = spoken_turn();
    turn.is_given_text = true;
    EXPECT_FALSE(has_attribute(spans_of(turn).front(), "tandem.wait.total"));
}

TEST(turn_spans, name_the_error_of_the_request_that_failed) {
    auto turn = spoken_turn();
    turn.reply->reason = finish_reason::error;
    turn.reply->error = "stream_incomplete";
    turn.reply->timeline.insert(turn.reply->timeline.begin() + 3, happened(kind::lost, 280ms));
    const auto all = spans_of(turn);
    EXPECT_EQ(all[0].error, "stream_incomplete");
    EXPECT_EQ(all[1].error, "server_lost");
    EXPECT_EQ(all[2].error, "stream_incomplete");
}

TEST(turn_spans, have_only_the_first_chunk_of_a_client_that_reads_tokens) {
    auto turn = spoken_turn();
    turn.reply->by_chunk = false;
    EXPECT_THAT(event_names(spans_of(turn).front()), ElementsAre("chunk", "interrupt"));
}

TEST(turn_spans, describe_a_request_that_was_refused) {
    traced_turn turn{.name = "POST /v1/chat/completions",
                     .method = "POST",
                     .route = "/v1/chat/completions",
                     .status = 400,
                     .error = "invalid_value"};
    const auto all = spans_of(turn);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].error, "invalid_value");
    EXPECT_EQ(attribute<std::int64_t>(all[0], "http.response.status_code"), 400);
    EXPECT_THAT(all[0].events, IsEmpty());
}

TEST(turn_spans, have_texts_only_if_the_turn_has_them) {
    const reply_result result{.finish_reason = finish_reason::eos,
                              .text = "Good day.",
                              .calls = {{.id = "1", .name = "book", .arguments = R"({"at":7})"}}};
    for (const bool with_texts : {false, true}) {
        auto turn = spoken_turn();
        add_reply(turn, turn.ended, result, true, with_texts);
        if (with_texts) add_input_messages(turn, {{.role = "user", .content = "Hello!"}});
        const auto s = spans_of(turn).front();
        EXPECT_EQ(
            attribute<std::string>(s, "gen_ai.input.messages"),
            with_texts ? R"([{"role":"user","parts":[{"type":"text","content":"Hello!"}]}])" : "");
        EXPECT_EQ(attribute<std::string>(s, "gen_ai.output.messages"),
                  with_texts ? R"([{"role":"assistant","parts":[{"type":"text",)"
                               R"("content":"Good day."}],"finish_reason":"stop"}])"
                             : "");
        EXPECT_EQ(s.events.front().attributes.size(), with_texts ? 3u : 2u);
    }
}

TEST(turn_spans, are_bounded) {
    auto turn = spoken_turn();
    for (int i = 0; i < 1000; ++i) turn.reply->timeline.push_back(happened(kind::chunk, 2s, i));
    const auto s = spans_of(turn).front();
    EXPECT_EQ(s.events.size(), max_span_events);
    EXPECT_EQ(s.dropped_events, 1000 + 4 - static_cast<int>(max_span_events));
    const std::string_view word = "ä";
    std::string text;
    for (std::size_t i = 0; i < max_traced_text_bytes; ++i) text += word;
    add_input_messages(turn, std::vector<chat_message>(max_traced_messages + 1, {.content = text}));
    EXPECT_EQ(turn.input.size(), max_traced_messages);
    EXPECT_LE(turn.input[0].content.size(), max_traced_text_bytes + 3);
    EXPECT_GT(estimate_bytes(turn), max_traced_messages * max_traced_text_bytes);
}

}  // namespace
}  // namespace tandem::gateway

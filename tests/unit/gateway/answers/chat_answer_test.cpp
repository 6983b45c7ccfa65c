#include "gateway/answers/chat_answer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tandem::gateway {
namespace {

using nlohmann::json;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const answer_head head{
    .kind = answer_kind::chat, .id = "chatcmpl-1", .created = 1700000000, .model = "m\"1"};
const answer_head text_head{
    .kind = answer_kind::completion, .id = "cmpl-1", .created = 1700000000, .model = "m"};
const answer_usage usage{.prompt_tokens = 9, .completion_tokens = 4, .cached_tokens = 5};

/// The data of each event of a stream, split as a client splits the stream.
std::vector<std::string> events(std::string_view bytes) {
    std::vector<std::string> list;
    while (!bytes.empty()) {
        const auto end = bytes.find("\n\n");
        if (!bytes.starts_with("data: ") || end == bytes.npos) {
            ADD_FAILURE() << "no event: " << bytes;
            break;
        }
        list.emplace_back(bytes.substr(6, end - 6));
        bytes.remove_prefix(end + 2);
    }
    return list;
}

json choice(const std::string& event) {
    return json::parse(event)["choices"][0];
}

json delta(const std::string& event) {
    return choice(event)["delta"];
}

TEST(chat_stream, reports_the_role_with_the_first_text_and_the_reason_in_an_event_of_its_own) {
    answer_stream stream(head);
    std::string out;
    stream.write_text_piece("Hel", out);
    stream.write_text_piece("lo", out);
    stream.end(finish_reason::eos, usage, out);
    const auto list = events(out);
    ASSERT_THAT(list, SizeIs(4));
    EXPECT_EQ(json::parse(list[0]), json::parse(R"({"id":"chatcmpl-1",
        "object":"chat.completion.chunk","created":1700000000,"model":"m\"1","choices":[{"index":0,
        "delta":{"role":"assistant","content":"Hel"},"logprobs":null,"finish_reason":null}]})"));
    EXPECT_EQ(choice(list[1]), json::parse(R"({"index":0,"delta":{"content":"lo"},"logprobs":null,
        "finish_reason":null})"));
    EXPECT_EQ(choice(list[2]), json::parse(R"({"index":0,"delta":{},"logprobs":null,
        "finish_reason":"stop"})"));
    EXPECT_EQ(list[3], "[DONE]");
}

TEST(chat_stream, reports_the_usage_if_it_is_wanted_and_null_before) {
    answer_stream stream(head, true);
    std::string out;
    stream.write_text_piece("Hi", out);
    stream.end(finish_reason::eos, usage, out);
    const auto list = events(out);
    ASSERT_THAT(list, SizeIs(4));
    for (const std::size_t i : {0U, 1U}) {
        EXPECT_TRUE(json::parse(list[i]).contains("usage"));
        EXPECT_TRUE(json::parse(list[i])["usage"].is_null());
    }
    EXPECT_EQ(json::parse(list[2]), json::parse(R"({"id":"chatcmpl-1",
        "object":"chat.completion.chunk","created":1700000000,"model":"m\"1","choices":[],"usage":
        {"prompt_tokens":9,"completion_tokens":4,"total_tokens":13,
         "prompt_tokens_details":{"cached_tokens":5},
         "completion_tokens_details":{"reasoning_tokens":0}}})"));
    EXPECT_EQ(list[3], "[DONE]");
}

TEST(chat_stream, says_nothing_of_usage_if_it_is_not_wanted) {
    answer_stream stream(head);
    std::string out;
    stream.write_text_piece("Hi", out);
    stream.end(finish_reason::eos, usage, out);
    EXPECT_EQ(out.find("usage"), out.npos);
}

TEST(chat_stream, reports_reasoning_apart_and_the_role_only_once) {
    answer_stream stream(head);
    std::string out;
    stream.write_reasoning_piece("Hm", out);
    stream.write_reasoning_piece("m.", out);
    stream.write_text_piece("Yes.", out);
    const auto list = events(out);
    ASSERT_THAT(list, SizeIs(3));
    EXPECT_EQ(delta(list[0]), json::parse(R"({"role":"assistant","reasoning_content":"Hm"})"));
    EXPECT_EQ(delta(list[1]), json::parse(R"({"reasoning_content":"m."})"));
    EXPECT_EQ(delta(list[2]), json::parse(R"({"content":"Yes."})"));
}

TEST(chat_stream, reports_calls_one_by_one_with_rising_index) {
    answer_stream stream(head);
    std::string out;
    stream.write_text_piece("Let me see.", out);
    stream.write_call({"c1", "weather", R"({"city": "Bonn"})"}, out);
    stream.write_call({"c2", "now", "{}"}, out);
    stream.end(finish_reason::eos, usage, out);
    const auto list = events(out);
    ASSERT_THAT(list, SizeIs(5));
    EXPECT_EQ(delta(list[1]), json::parse(R"({"tool_calls":[{"index":0,"id":"c1","type":"function",
        "function":{"name":"weather","arguments":"{\"city\": \"Bonn\"}"}}]})"));
    EXPECT_EQ(delta(list[2])["tool_calls"][0]["index"], 1);
    EXPECT_EQ(choice(list[3])["finish_reason"], "tool_calls");
}

TEST(chat_stream, tells_a_call_piece_by_piece) {
    answer_stream stream(head);
    std::string out;
    stream.write_call_piece({.id = "c1", .name = "weather"}, out);
    stream.write_call_piece({.arguments = R"({"city": )"}, out);
    stream.end_call(out);
    stream.write_call({"c2", "now", "{}"}, out);
    const auto list = events(out);
    ASSERT_THAT(list, SizeIs(3));
    EXPECT_EQ(delta(list[0])["tool_calls"], json::parse(R"([{"index":0,"id":"c1","type":"function",
        "function":{"name":"weather","arguments":""}}])"));
    EXPECT_EQ(delta(list[1]), json::parse(R"({"tool_calls":[{"index":0,
        "function":{"arguments":"{\"city\": "}}]})"));
    EXPECT_EQ(delta(list[2])["tool_calls"][0]["index"], 1);
}

TEST(chat_stream, has_no_content_if_it_begins_with_a_call) {
    answer_stream stream(head);
    std::string out;
    stream.write_call({"c1", "now", "{}"}, out);
    EXPECT_EQ(delta(events(out)[0]), json::parse(R"({"role":"assistant","content":null,
        "tool_calls":[{"index":0,"id":"c1","type":"function",
        "function":{"name":"now","arguments":"{}"}}]})"));
}

TEST(chat_stream, reports_why_it_ended) {
    const struct {
        finish_reason reason;
        bool has_call;
        const char* word;
    } rows[] = {{finish_reason::eos, false, "stop"},
                {finish_reason::stop_word, false, "stop"},
                {finish_reason::length, false, "length"},
                {finish_reason::eos, true, "tool_calls"},
                {finish_reason::stop_word, true, "tool_calls"},
                {finish_reason::length, true, "length"}};
    for (const auto& row : rows) {
        answer_stream stream(head);
        std::string out;
        stream.write_text_piece("Hi", out);
        if (row.has_call) stream.write_call({"c1", "now", "{}"}, out);
        out.clear();
        stream.end(row.reason, usage, out);
        EXPECT_EQ(choice(events(out)[0])["finish_reason"], row.word);
    }
}

TEST(chat_stream, has_a_role_also_if_nothing_was_said) {
    answer_stream stream(head);
    std::string out;
    stream.write_text_piece("", out);
    stream.write_reasoning_piece("", out);
    EXPECT_EQ(out, "");
    stream.end(finish_reason::eos, usage, out);
    const auto list = events(out);
    ASSERT_THAT(list, SizeIs(3));
    EXPECT_EQ(delta(list[0]), json::parse(R"({"role":"assistant","content":""})"));
    EXPECT_EQ(choice(list[1])["finish_reason"], "stop");
}

TEST(chat_stream, ends_with_the_error_and_nothing_else_if_it_fails) {
    answer_stream stream(head, true);
    std::string out;
    stream.write_text_piece("Hi", out);
    out.clear();
    stream.end_with_error({.status = 502, .code = "stream_incomplete", .message = "cut \xff"}, out);
    const auto list = events(out);
    ASSERT_THAT(list, SizeIs(1));
    EXPECT_EQ(json::parse(list[0])["error"]["code"], "stream_incomplete");
}

TEST(chat_stream, does_not_pass_off_half_an_answer_as_a_whole_one) {
    for (const auto reason : {finish_reason::interrupted, finish_reason::error}) {
        answer_stream stream(head);
        std::string out;
        stream.write_text_piece("Hi", out);
        out.clear();
        stream.end(reason, usage, out);
        const auto list = events(out);
        ASSERT_THAT(list, SizeIs(1));
        EXPECT_TRUE(json::parse(list[0])["error"].contains("message"));
        EXPECT_TRUE(stream.has_ended());
    }
}

TEST(chat_stream, says_nothing_after_its_end) {
    for (const bool fails : {false, true}) {
        answer_stream stream(head, true);
        std::string out;
        EXPECT_FALSE(stream.has_ended());
        fails ? stream.end_with_error({}, out) : stream.end(finish_reason::eos, usage, out);
        EXPECT_TRUE(stream.has_ended());
        out.clear();
        stream.write_text_piece("x", out);
        stream.write_reasoning_piece("x", out);
        stream.write_call({"c", "f", "{}"}, out);
        stream.end(finish_reason::eos, usage, out);
        stream.end_with_error({}, out);
        stream.write_keep_alive(out);
        EXPECT_EQ(out, "");
    }
}

TEST(chat_stream, is_kept_alive_by_a_comment) {
    const answer_stream stream(head);
    std::string out;
    stream.write_keep_alive(out);
    EXPECT_EQ(out, ": keep-alive\n\n");
}

TEST(chat_stream, escapes_texts_and_replaces_what_is_no_text) {
    answer_stream stream(head);
    std::string out;
    const std::string text("a\"b\\c\n\r\t\x01\x7f\0</\xe2\x80\xa8é", 18);
    stream.write_text_piece(text, out);
    stream.write_text_piece("x\xff", out);
    EXPECT_EQ(out.find('\n'), out.find("\n\n"));
    const auto list = events(out);
    EXPECT_EQ(delta(list[0])["content"], text);
    EXPECT_EQ(delta(list[1])["content"], "x\xEF\xBF\xBD");
}

TEST(text_completion_stream, tells_text_and_no_roles_reasoning_or_calls) {
    answer_stream stream(text_head, true);
    std::string out;
    stream.write_reasoning_piece("Hm", out);
    stream.write_call({"c", "f", "{}"}, out);
    stream.write_text_piece("Once", out);
    stream.end(finish_reason::length, usage, out);
    const auto list = events(out);
    ASSERT_THAT(list, SizeIs(4));
    EXPECT_EQ(json::parse(list[0]), json::parse(R"({"id":"cmpl-1","object":"text_completion",
        "created":1700000000,"model":"m","choices":[{"text":"Once","index":0,"logprobs":null,
        "finish_reason":null}],"usage":null})"));
    EXPECT_EQ(choice(list[1]),
              json::parse(R"({"text":"","index":0,"logprobs":null,"finish_reason":"length"})"));
    EXPECT_THAT(json::parse(list[2])["choices"], IsEmpty());
    EXPECT_EQ(list[3], "[DONE]");
}

finished_answer ended(std::string text, finish_reason reason = finish_reason::eos) {
    return {.text = std::move(text), .reason = reason, .usage = usage};
}

json body_of(const finished_answer& answer, const answer_head& to = head) {
    const auto body = encode_complete_answer(to, answer);
    if (const auto* text = std::get_if<std::string>(&body)) return json::parse(*text);
    ADD_FAILURE() << std::get<api_error>(body).message;
    return {};
}

TEST(finished_answer, is_reported_as_openai_does) {
    EXPECT_EQ(body_of(ended("Hello")), json::parse(R"({"id":"chatcmpl-1","object":"chat.completion",
        "created":1700000000,"model":"m\"1","choices":[{"index":0,"message":
        {"role":"assistant","content":"Hello","refusal":null},"logprobs":null,
        "finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13,
        "prompt_tokens_details":{"cached_tokens":5},
         "completion_tokens_details":{"reasoning_tokens":0}}})"));
}

TEST(finished_answer, has_reasoning_and_calls_if_there_are_some) {
    auto answer = ended("");
    answer.reasoning = "Hm";
    answer.calls = {{"c1", "now", "{}"}};
    const auto body = body_of(answer)["choices"][0];
    EXPECT_EQ(body["finish_reason"], "tool_calls");
    EXPECT_EQ(body["message"], json::parse(R"({"role":"assistant","content":null,"refusal":null,
        "reasoning_content":"Hm","tool_calls":[{"id":"c1","type":"function",
        "function":{"name":"now","arguments":"{}"}}]})"));
}

TEST(finished_answer, has_content_beside_calls_and_if_nothing_was_said) {
    EXPECT_EQ(body_of(ended(""))["choices"][0]["message"]["content"], "");
    auto answer = ended("Let me see.");
    answer.calls = {{"c1", "now", "{}"}};
    EXPECT_EQ(body_of(answer)["choices"][0]["message"]["content"], "Let me see.");
}

TEST(finished_answer, of_a_text_completion_has_a_text) {
    const auto body = body_of(ended("Once\xff", finish_reason::length), text_head);
    EXPECT_EQ(body["object"], "text_completion");
    EXPECT_EQ(body["choices"], json::parse(R"([{"index":0,"text":"Once\ufffd","logprobs":null,
        "finish_reason":"length"}])"));
    EXPECT_EQ(body["usage"]["total_tokens"], 13);
}

TEST(finished_answer, is_no_body_if_the_reply_is_not_whole) {
    for (const auto reason : {finish_reason::interrupted, finish_reason::error}) {
        EXPECT_FALSE(is_complete(ended("Hel", reason)));
        const auto body = encode_complete_answer(head, ended("Hel", reason));
        ASSERT_TRUE(std::holds_alternative<api_error>(body));
        EXPECT_GE(std::get<api_error>(body).status, 500);
    }
}

TEST(finished_answer, takes_its_texts_and_calls_to_keep) {
    auto answer = ended(std::string(1000, 'x'));
    answer.calls = {{"c1", "now", std::string(500, ' ')}};
    EXPECT_GT(estimate_bytes(answer), 1500u);
    EXPECT_LT(estimate_bytes(answer), 2500u);
}

TEST(answer_usage, counts_the_prompt_once_however_many_requests_it_took) {
    const auto u = to_answer_usage(
        {.usage = {.prompt = 100, .cached = 250, .evaluated = 80, .generated = 30}});
    EXPECT_EQ(u.prompt_tokens, 100);
    EXPECT_EQ(u.completion_tokens, 30);
    EXPECT_EQ(u.cached_tokens, 100);
    EXPECT_EQ(to_answer_usage({.usage = {.prompt = 100, .cached = 20}}).cached_tokens, 20);
}

}  // namespace
}  // namespace tandem::gateway

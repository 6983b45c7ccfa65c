// Models that write calls which no client expects. The length of messages stays bounded, both over
// HTTP and over the WebSocket.

#include "gateway/voice_fixture.hpp"
#include "support/process.hpp"

#include <string>
#include <vector>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::HasSubstr;

constexpr auto mebibyte = std::size_t{1} << 20;

std::string repeat(const std::string& text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
}

std::string write_call(const std::string& arguments) {
    return "<tool_call>\n{\"name\": \"clock\", \"arguments\": " + arguments + "}\n</tool_call>\n";
}

/// The beginning of a call whose argument "zone" has about this size.
std::string begin_call_of(std::size_t bytes) {
    const auto word = std::string(63, 'a') + ' ';
    return "<tool_call>\n{\"name\": \"clock\", \"arguments\": {\"zone\": \"" +
           repeat(word, bytes / word.size());
}

class hostile_calls : public voice_gateway {
 protected:
    /// What the client received in one reply.
    struct reply {
        std::vector<json> calls;  // their arguments
        std::string ending;       // the finish reason, or the error's code
        std::string message;      // of the error
        std::size_t longest = 0;  // bytes of the longest message
    };

    hostile_calls() {
        server_options.tool_template = true;
        server_options.ctx_size = 1 << 23;
    }
    void start_with(const std::string& calls) {
        answers_with("What time is it?", "One moment.\n" + calls);
        start();
    }
    static json with_tools(json options) {
        options["tools"] = json::parse(
            R"([{"type":"function","function":{"name":"clock","parameters":{"type":"object"}}}])");
        return options;
    }

    reply over_http(const json& options) {
        const auto a =
            client().post("/v1/chat/completions", chat("What time is it?", with_tools(options)));
        const auto body = a.parsed();
        reply r;
        r.longest = a.body.size();
        if (a.status != 200) {
            EXPECT_EQ(a.status, 502);
            r.ending = body["error"]["code"];
            r.message = body["error"]["message"];
            return r;
        }
        const auto& choice = body["choices"][0];
        r.ending = choice["finish_reason"];
        for (const auto& call : choice["message"].value("tool_calls", json::array()))
            r.calls.push_back(json::parse(call["function"]["arguments"].get<std::string>()));
        return r;
    }
    reply over_websocket(const json& options) {
        auto c = voice();
        auto question = start_of("What time is it?");
        question["options"] = with_tools(options);
        c.say(question);
        reply r;
        while (r.ending.empty()) {
            const auto m = c.read();
            if (m.is_null()) break;
            r.longest = std::max(r.longest, m.dump().size());
            if (m["type"] == "chunk") {
                EXPECT_EQ(m["speech"], "One moment.");
                c.say(spoken(m));
            }
            if (m["type"] == "call") r.calls.push_back(m["arguments"]);
            r.ending = m.value("finish_reason", m.value("code", ""));
            r.message = m.value("message", "");
        }
        return r;
    }
    std::vector<reply> ask(const json& options = json::object()) {
        return {over_http(options), over_websocket(options)};
    }
};

TEST_F(hostile_calls, have_large_arguments) {
    start_with(begin_call_of(mebibyte / 8) + "\"}}\n</tool_call>");
    for (const auto& r : ask()) {
        EXPECT_EQ(r.ending, "tool_calls") << r.message;
        ASSERT_EQ(r.calls.size(), 1u);
        EXPECT_GT(r.calls[0]["zone"].get<std::string>().size(), mebibyte / 8 - 100);
    }
}

TEST_F(hostile_calls, fail_if_they_are_longer_than_a_mebibyte_and_never_end) {
    if (!is_memory_measurable) GTEST_SKIP() << "the text takes minutes with sanitizers";
    start_with(begin_call_of(mebibyte + 1000));
    for (const auto& r : ask()) {
        EXPECT_EQ(r.ending, "invalid_tool_call");
        EXPECT_THAT(r.message, HasSubstr("longer than 1 MiB"));
        EXPECT_LT(r.longest, 8192u);
    }
}

TEST_F(hostile_calls, end_with_length_if_a_limit_cuts_them_off) {
    start_with(begin_call_of(mebibyte + 1000));
    for (const auto& r : ask({{"max_tokens", 50}})) {
        EXPECT_EQ(r.ending, "length") << r.message;
        EXPECT_TRUE(r.calls.empty());
    }
}

// A call that the mock server generates under the grammar has no arguments.
TEST_F(hostile_calls, are_generated_under_the_grammar_if_they_are_nested_too_deep) {
    start_with(write_call(repeat("{\"a\": ", 1000) + "1" + repeat("}", 1000)));
    for (const auto& r : ask()) {
        EXPECT_EQ(r.ending, "tool_calls") << r.message;
        EXPECT_EQ(json(r.calls), json::array({json::object()}));
    }
}

TEST_F(hostile_calls, have_replacement_characters_for_invalid_bytes) {
    start_with(write_call("{\"zone\": \"\xff\xfe\xc3\"}"));
    for (const auto& r : ask())
        EXPECT_EQ(json(r.calls), json::array({{{"zone", "\ufffd\ufffd\ufffd"}}})) << r.message;
}

TEST_F(hostile_calls, are_dropped_after_the_first_128) {
    std::string all;
    for (int i = 0; i < 1000; ++i) all += write_call("{\"zone\": " + std::to_string(i) + "}");
    start_with(all);
    for (const auto& r : ask()) {
        EXPECT_EQ(r.ending, "tool_calls") << r.message;
        ASSERT_EQ(r.calls.size(), 128u);
        EXPECT_EQ(r.calls.back()["zone"], 127);
    }
}

}  // namespace

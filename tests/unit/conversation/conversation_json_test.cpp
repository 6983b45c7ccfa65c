#include "conversation/history/conversation_json.hpp"

#include "wire/json/wire_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

namespace tandem::wire {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

saved_conversation full() {
    saved_conversation c;
    c.options.messages = {{"system", "Be brief."}};
    c.options.interrupted = history_policy::handed_over;
    c.options.interrupted_mark = "…";
    c.options.resume_grace = 1500us;
    c.options.reply_reserve = 7;
    c.options.trim_slack = 0.5;
    c.options.trim = false;
    c.options.draft_limit = 5;
    c.options.isolate = true;
    c.options.raw = true;
    c.exchanges = {{{{"user", "Weather?"},
                     {"assistant", "", {{"1", "weather", "{\"a\":1}"}}},
                     {"tool", "sunny", {}, "1", "weather"}},
                    41},
                   {{{"user", "Thanks"}}}};
    c.last_turn = {12, 8, 4};
    c.late_calls = {{"2", "time", "{}"}};
    c.server = "http://a";
    return c;
}

constexpr std::string_view full_text =
    R"({"exchanges":[{"messages":[{"content":"Weather?","role":"user"},)"
    R"({"content":"","role":"assistant","tool_calls":)"
    R"([{"arguments":"{\"a\":1}","id":"1","name":"weather"}]},)"
    R"({"content":"sunny","name":"weather","role":"tool","tool_call_id":"1"}],"tokens":41},)"
    R"({"messages":[{"content":"Thanks","role":"user"}],"tokens":-1}],)"
    R"("last_turn":{"generated":12,"handed_over":8,"heard":4},)"
    R"("late_calls":[{"arguments":"{}","id":"2","name":"time"}],)"
    R"("options":{"draft_limit":5,"interrupted":"handed_over","interrupted_mark":"…","isolate":true,)"
    R"("messages":[{"content":"Be brief.","role":"system"}],)"
    R"("raw":true,"reply_reserve":7,"resume_grace_ms":1.5,"trim":false,"trim_slack":0.5},)"
    R"("server":"http://a","version":1})";

/// The fault of the text as "field message", or an empty string.
std::string fault_of(std::string_view text) {
    saved_conversation c;
    c.last_turn = {1, 1, 1};
    const auto before = c;
    const auto fault = read_conversation(text, c);
    if (!fault) return {};
    EXPECT_EQ(c, before);
    return fault->field + " " + fault->message;
}

/// The JSON of version 1 with additional members.
std::string with(std::string_view members) {
    return R"({"version":1,)" + std::string(members) + "}";
}

TEST(conversation_json, is_written_with_all_that_is_known) {
    EXPECT_EQ(serialize_conversation(full()), full_text);
}

TEST(conversation_json, is_read_as_it_was_written) {
    saved_conversation c;
    EXPECT_FALSE(read_conversation(full_text, c));
    EXPECT_EQ(c, full());
}

TEST(conversation_json, keeps_times_to_the_nanosecond) {
    for (const auto grace : {0ns, 1ns, 999'999'999ns, 3'599'999'999'999ns}) {
        saved_conversation c, read;
        c.options.resume_grace = grace;
        EXPECT_FALSE(read_conversation(serialize_conversation(c), read));
        EXPECT_EQ(read.options.resume_grace, grace);
    }
}

TEST(conversation_json, has_defaults_for_what_is_missing) {
    saved_conversation c = full();
    EXPECT_FALSE(read_conversation(R"({"version":1})", c));
    EXPECT_EQ(c, saved_conversation{});
    EXPECT_FALSE(read_conversation(with(R"("exchanges":[{"messages":[{"role":"user"}]}])"), c));
    EXPECT_EQ(c.exchanges.front().tokens, -1);
    EXPECT_EQ(c.exchanges.front().messages.front().content, "");
}

TEST(conversation_json, passes_over_what_it_does_not_know) {
    EXPECT_EQ(fault_of(with(R"("new":[1,{"x":null}],"options":{"colour":"red"},)"
                            R"("exchanges":[{"at":7,"messages":[{"role":"user","mood":2}]}])")),
              "");
}

TEST(conversation_json, names_the_version_that_it_cannot_read) {
    EXPECT_EQ(fault_of(R"({"version":2,"exchanges":"new"})"),
              "version is 2; this build reads versions up to 1");
    EXPECT_EQ(fault_of("{}"), "version is missing");
    for (const auto* v : {"0", "-1", "1.0", "\"1\"", "true", "99999999999"})
        EXPECT_EQ(fault_of(std::string(R"({"version":)") + v + "}"),
                  "version must be a whole number of at least 1");
}

TEST(conversation_json, is_refused_as_a_whole_if_it_is_no_such_text) {
    EXPECT_EQ(fault_of(""), "conversation is not valid JSON near byte 1");
    EXPECT_EQ(fault_of("{\"version\":1"), "conversation is not valid JSON near byte 13");
    EXPECT_EQ(fault_of("{\"version\":1}}"), "conversation is not valid JSON near byte 14");
    EXPECT_EQ(fault_of("{\"version\":1,\"a\":\"\\ud800\"}"),
              "conversation is not valid JSON near byte 25");
    EXPECT_EQ(fault_of("[1]"), "conversation is of type array, but must be an object");
    EXPECT_EQ(fault_of("{\"a\xFF\":1}"), "conversation is not valid UTF-8 at byte 3");
}

TEST(conversation_json, is_refused_with_the_path_of_a_member_of_another_type) {
    const struct {
        const char *members, *fault;
    } rows[] = {
        {R"("options":[])", "options is of type array, but must be an object"},
        {R"("options":{"messages":{}})", "options.messages is of type object, but must be a list"},
        {R"("options":{"interrupted":"half"})",
         "options.interrupted must be heard, handed_over, full or none"},
        {R"("options":{"interrupted":1})",
         "options.interrupted is of type number, but must be a string"},
        {R"("options":{"interrupted_mark":null})",
         "options.interrupted_mark is of type null, but must be a string"},
        {R"("options":{"resume_grace_ms":"5s"})",
         "options.resume_grace_ms is of type string, but must be a number"},
        {R"("options":{"resume_grace_ms":-1})",
         "options.resume_grace_ms is -1, which is not a valid time"},
        {R"("options":{"resume_grace_ms":1e300})",
         "options.resume_grace_ms is 1e+300, which is not a valid time"},
        {R"("options":{"reply_reserve":1.5})",
         "options.reply_reserve must be a whole number from -1 to 2147483647"},
        {R"("options":{"reply_reserve":2147483648})",
         "options.reply_reserve must be a whole number from -1 to 2147483647"},
        {R"("options":{"trim_slack":true})",
         "options.trim_slack is of type boolean, but must be a number"},
        {R"("options":{"isolate":1})",
         "options.isolate is of type number, but must be true or false"},
        {R"("exchanges":{})", "exchanges is of type object, but must be a list"},
        {R"("exchanges":[{},7])", "exchanges[1] is of type number, but must be an object"},
        {R"("exchanges":[{"tokens":-2}])",
         "exchanges[0].tokens must be a whole number from -1 to 2147483647"},
        {R"("exchanges":[{"messages":[{"role":"user"},{"role":""}]}])",
         "exchanges[0].messages[1].role is missing or empty"},
        {R"("exchanges":[{"messages":[{"content":"Hi"}]}])",
         "exchanges[0].messages[0].role is missing or empty"},
        {R"("exchanges":[{"messages":[{"role":"user","content":["Hi"]}]}])",
         "exchanges[0].messages[0].content is of type array, but must be a string"},
        {R"("exchanges":[{"messages":[{"role":"a","tool_calls":[{"arguments":{}}]}]}])",
         "exchanges[0].messages[0].tool_calls[0].arguments is of type object, but must be a "
         "string"},
        {R"("last_turn":[])", "last_turn is of type array, but must be an object"},
        {R"("last_turn":{"generated":-1})",
         "last_turn.generated must be a whole number of at least 0"},
        {R"("last_turn":{"generated":2,"handed_over":3})",
         "last_turn.handed_over is greater than generated"},
        {R"("last_turn":{"generated":2,"handed_over":1,"heard":2})",
         "last_turn.heard is greater than handed_over"},
        {R"("late_calls":[{},7])", "late_calls[1] is of type number, but must be an object"},
    };
    for (const auto& row : rows) EXPECT_EQ(fault_of(with(row.members)), row.fault) << row.members;
}

// Bounds

std::string repeated(std::string_view item, std::size_t count) {
    std::string list(item);
    for (std::size_t i = 1; i < count; ++i) (list += ',') += item;
    return list;
}

TEST(conversation_json, is_refused_if_it_is_too_long) {
    auto text = with(R"("x":1)");
    text.resize(max_saved_bytes, ' ');
    EXPECT_EQ(fault_of(text), "");
    EXPECT_EQ(fault_of(text + " "), "conversation has 16777217 bytes; the maximum is 16777216");
}

TEST(conversation_json, is_refused_if_it_is_nested_too_deep) {
    const auto nested = [](std::size_t depth) {
        return with("\"x\":" + std::string(depth, '[') + std::string(depth, ']'));
    };
    EXPECT_EQ(fault_of(nested(60)), "");
    EXPECT_EQ(fault_of(nested(100)), "conversation is nested deeper than 64 levels");
    EXPECT_EQ(fault_of(nested(1'000'000)), "conversation is nested deeper than 64 levels");
}

TEST(conversation_json, is_refused_if_it_has_too_many_messages_in_all) {
    const auto text = [](std::size_t count) {
        return with(R"("options":{"messages":[{"role":"system"}]},"exchanges":[{"messages":[)" +
                    repeated(R"({"role":"u"})", count) + "]}]");
    };
    EXPECT_EQ(fault_of(text(99'999)), "");
    EXPECT_EQ(fault_of(text(100'000)),
              "exchanges[0].messages brings their number to 100001; the maximum is 100000");
}

TEST(conversation_json, is_refused_if_it_has_too_many_exchanges_or_calls) {
    EXPECT_THAT(fault_of(with("\"exchanges\":[" + repeated("{}", 100'001) + "]")),
                HasSubstr("exchanges brings their number to 100001"));
    EXPECT_THAT(fault_of(with(R"("exchanges":[{"messages":[{"role":"a","tool_calls":[)" +
                              repeated("{}", 100'001) + "]}]}]")),
                HasSubstr("tool_calls brings their number to 100001"));
}

TEST(conversation_json, is_refused_if_it_has_too_many_values_that_nobody_reads) {
    EXPECT_EQ(fault_of(with("\"x\":[" + repeated("0", 2'000'001) + "]")),
              "conversation has more than 2000000 values and keys");
}

}  // namespace
}  // namespace tandem::wire

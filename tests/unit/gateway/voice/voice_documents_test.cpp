#include "gateway/voice/voice_fields.hpp"
#include "gateway/voice/voice_message_writer.hpp"
#include "gateway/voice/voice_protocol.hpp"
#include "gateway/voice/voice_socket_watchdog.hpp"
#include "voice_session_driver.hpp"
#include "wire/calls/request_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <deque>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

// Compares docs/voice-websocket.md and docs/voice.asyncapi.yaml with the code.
namespace tandem::gateway {
namespace {

using nlohmann::json;
using ::testing::ContainerEq;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using name_set = std::set<std::string>;

std::vector<std::string> lines_of(const std::string& file) {
    std::ifstream in(std::string(TANDEM_SOURCE_DIR "/docs/") + file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::string text_of(const std::string& file) {
    std::string text;
    for (const auto& line : lines_of(file)) text += line + "\n";
    return text;
}

// --- the AsyncAPI description

/// The properties of each schema. All schemas are at the same level of the file.
const std::map<std::string, name_set>& schemas() {
    static const std::map<std::string, name_set> found = [] {
        static const std::regex key("( *)([A-Za-z_]+):.*");
        std::map<std::string, name_set> all;
        std::string schema;
        bool is_below = false, in_properties = false;
        for (const auto& line : lines_of("voice.asyncapi.yaml")) {
            std::smatch match;
            if (!std::regex_match(line, match, key)) continue;
            const auto depth = match[1].length();
            const auto name = match[2].str();
            if (depth <= 2) is_below = depth == 2 && name == "schemas";
            if (!is_below) continue;
            if (depth == 4) all[schema = name] = {};
            if (depth <= 6) in_properties = depth == 6 && name == "properties";
            if (depth == 8 && in_properties) all[schema].insert(name);
        }
        return all;
    }();
    return found;
}

name_set schema(const std::string& name) {
    const auto found = schemas().find(name);
    return found == schemas().end() ? name_set() : found->second;
}

template <class Message>
name_set fields_of(Message m) {
    name_set found;
    for_each_voice_field(m, [&](const char* name, const auto&) { found.insert(name); });
    return found;
}

name_set keys_of(const json& object) {
    name_set found;
    for (const auto& [key, value] : object.items()) found.insert(key);
    return found;
}

reply_result full_result(finish_reason why) {
    reply_result r{.finish_reason = why, .cache_break = cache_break{}};
    r.metrics.first_chunk_ms = 1;
    r.metrics.cancel_to_idle_ms = 1;
    r.metrics.draft_ms = 1;
    r.timeline = {{.slot = 1, .chunk = 1, .server = 1}};
    if (why == finish_reason::error) r.error = errc::queue_full;
    return r;
}

json full_end(finish_reason why) {
    const auto r = full_result(why);
    return json::parse(encode_end(
        {.reply = 1, .turn = "t", .result = r, .silence = voice_timing(), .timeline = true}));
}

// Messages of the gateway with every possible field.
json full_ready() {
    return json::parse(encode_ready({.session = "s", .model = "m", .resumed = true}));
}

json full_error() {
    auto e = full_end(finish_reason::error);
    e.update(json::parse(
        encode_error({.why = {.code = "c", .param = "p"}, .call = "x", .fatal = true})));
    return e;
}

TEST(voice_description, has_each_message_of_a_client_with_its_fields) {
    for_each_voice_message([](const std::string& type, const auto& message) {
        auto fields = fields_of(message);
        fields.insert("type");
        EXPECT_THAT(schema(type == "end" ? "endSession" : type), ContainerEq(fields)) << type;
    });
}

TEST(voice_description, has_what_messages_of_a_client_are_made_of) {
    EXPECT_THAT(schema("heardPlace"), ContainerEq(fields_of(voice::heard())));
    EXPECT_THAT(schema("filler"), ContainerEq(fields_of(voice_filler())));
    EXPECT_THAT(schema("message"), ContainerEq(fields_of(chat_message())));
    EXPECT_THAT(schema("toolCall"), ContainerEq(fields_of(tool_call())));
    auto options = fields_of(generation_changes());
    for (const auto name : wire::sampling_field_names()) options.emplace(name);
    for (const auto name : wire::template_field_names()) options.emplace(name);
    options.emplace("response_format");
    EXPECT_THAT(schema("generationOptions"), ContainerEq(options));
    EXPECT_THAT(schema("conversationOptions"), ContainerEq(fields_of(conversation_changes())));
}

/// The names in the list that follows the first occurrence of `beginning` in the description.
std::vector<std::string> names_listed_after(const std::string& beginning) {
    const auto text = text_of("voice.asyncapi.yaml");
    const auto at = text.find(beginning);
    if (at == std::string::npos) return {};
    const auto from = at + beginning.size();
    std::istringstream list(text.substr(from, text.find(']', from) - from));
    std::vector<std::string> names;
    for (std::string name; std::getline(list >> std::ws, name, ',');) names.push_back(name);
    return names;
}

bool is_read(const json& message) {
    const json start = {{"type", "start"}, {"messages", {message}}};
    return std::holds_alternative<voice_message>(parse_voice_message(start.dump()));
}

TEST(voice_description, has_the_roles_and_kinds_of_content_that_are_read) {
    const auto roles = names_listed_after("role:\n          enum: [");
    EXPECT_THAT(roles, Contains("developer"));
    for (const auto& role : roles)
        EXPECT_TRUE(is_read({{"role", role}, {"content", "Hi."}})) << role;
    const auto kinds = names_listed_after(
        "contentPart:\n      type: object\n      required: [type, text]\n"
        "      properties:\n        type:\n          enum: [");
    EXPECT_THAT(kinds, Contains("text"));
    for (const auto& kind : kinds) {
        const json part = {{"type", kind}, {"text", "Hi."}};
        EXPECT_TRUE(is_read({{"role", "user"}, {"content", json::array({part})}})) << kind;
    }
}

TEST(voice_description, has_each_message_of_the_gateway_with_its_fields) {
    const auto end = full_end(finish_reason::eos);
    const auto ready = full_ready();
    EXPECT_THAT(schema("ready"), ContainerEq(keys_of(ready)));
    EXPECT_THAT(schema("limits"), ContainerEq(keys_of(ready["limits"])));
    const tandem::chunk full_chunk{
        .marks = {{.at = 0, .tag = "laughs", .label = "softly"}}, .language = "en", .early = true};
    const auto chunk = json::parse(encode_chunk(1, "t", full_chunk, true));
    EXPECT_THAT(schema("chunk"), ContainerEq(keys_of(chunk)));
    EXPECT_THAT(schema("speechMark"), ContainerEq(keys_of(chunk["marks"][0])));
    const auto call = json::parse(encode_call({.reply = 1, .turn = "t", .call = {}, .after = 0}));
    EXPECT_THAT(schema("call"), ContainerEq(keys_of(call)));
    const auto dropped =
        json::parse(encode_call_dropped({.turn = "t", .why = call_drop_reason::timeout}));
    EXPECT_THAT(schema("callDropped"), ContainerEq(keys_of(dropped)));
    const auto skipped = json::parse(encode_draft_skipped("t", "a reply is running"));
    EXPECT_THAT(schema("draftSkipped"), ContainerEq(keys_of(skipped)));
    EXPECT_THAT(schema("end"), ContainerEq(keys_of(end)));
    EXPECT_THAT(schema("usage"), ContainerEq(keys_of(end["usage"])));
    EXPECT_THAT(schema("metrics"), ContainerEq(keys_of(end["metrics"])));
    EXPECT_THAT(schema("voiceToVoice"), ContainerEq(keys_of(end["metrics"]["voice_to_voice_ms"])));
    EXPECT_THAT(schema("timelineEvent"), ContainerEq(keys_of(end["timeline"][0])));
    EXPECT_THAT(schema("error"), ContainerEq(keys_of(full_error())));
}

TEST(voice_description, names_each_type_and_the_version) {
    const auto text = text_of("voice.asyncapi.yaml");
    for_each_voice_message([&](const std::string& type, const auto&) {
        EXPECT_THAT(text, HasSubstr("          const: " + type + "\n"));
    });
    for (const auto* type :
         {"ready", "chunk", "call", "call_dropped", "draft_skipped", "end", "error"})
        EXPECT_THAT(text, HasSubstr(std::string("          const: ") + type + "\n"));
    EXPECT_THAT(text, HasSubstr("const: " + std::string(voice_protocol) + "\n"));
}

// The reason names no other gateway, because the one that will continue may not exist yet.
TEST(voice_close, of_a_session_that_moves_says_to_reconnect_and_not_where) {
    EXPECT_EQ(to_string(voice_close::moved),
              "the gateway is stopping; reconnect to continue the session");
}

// --- the documentation page

TEST(voice_page, has_each_field_of_each_message) {
    const auto page = text_of("voice-websocket.md");
    for (const auto& [name, properties] : schemas()) {
        if (name == "generationOptions") continue;  // another page describes the options
        for (const auto& property : properties)
            EXPECT_TRUE(page.find("`" + property + "`") != std::string::npos ||
                        page.find("{" + property + ",") != std::string::npos ||
                        page.find("\"" + property + "\":") != std::string::npos)
                << name << "." << property;
    }
}

TEST(voice_page, has_each_close_code_and_each_error) {
    const auto page = text_of("voice-websocket.md");
    for (int code = 1000; code < 5000; ++code) {
        if (to_string(static_cast<voice_close>(code)).empty()) continue;
        EXPECT_THAT(page, HasSubstr("\n| " + std::to_string(code) + " |"));
    }
    for (const auto* code :
         {"invalid_json", "message_too_large", "binary_message", "unknown_type", "invalid_value",
          "no_session", "session_not_found", "too_many_sessions", "too_many_turns",
          "too_many_messages", "reply_running", "nothing_to_resume", "unknown_call",
          "gateway_stopping", "content_policy", "overloaded", "cluster_unavailable"})
        EXPECT_THAT(page, ::testing::ContainsRegex("\n\\| .*`" + std::string(code) + "`"));
}

/// Plays the dialogue of the page: sends the client's lines, makes the library do what the
/// gateway's next line requires, and compares the line with the session's output.
class page_dialogue {
 public:
    void play(const std::string& line) {
        ++lines;
        SCOPED_TRACE(line);
        if (line.starts_with(client)) return say(line.substr(client.size()));
        if (line.starts_with(gateway)) return expect(json::parse(line.substr(gateway.size())));
        if (line.find("closes") == std::string::npos) {
            session_.drop(socket_);
            is_attached_ = false;
        } else {
            EXPECT_THAT(session_.asked(), Contains(EndsWith(line.substr(line.size() - 5))));
        }
    }

    static constexpr std::string_view client = "    → ", gateway = "    ← ", breaks = "    ✗ ";
    int lines = 0;

 private:
    void say(const std::string& message) {
        EXPECT_TRUE(waiting_.empty()) << "it was sent besides: " << waiting_.front();
        if (std::exchange(is_attached_, true)) return session_.say(socket_, message);
        session_.attach(++socket_, message);
    }
    void expect(const json& told) {
        take_sent();
        if (waiting_.empty()) happen(told);
        take_sent();
        ASSERT_FALSE(waiting_.empty()) << "nothing was sent";
        for (const auto& [key, value] : told.items()) EXPECT_EQ(waiting_.front()[key], value);
        waiting_.pop_front();
    }
    void happen(const json& told) {
        ASSERT_TRUE(told.contains("reply"));
        const auto reply = std::stoull(told["reply"].get<std::string>());
        if (told["type"] == "call") return call(reply, told);
        if (told.value("finish_reason", "") == "tool_calls")
            return session_.end(reply, finish_reason::tool_calls, told["text"]);
        if (told["type"] == "end")
            return session_.end(
                reply,
                told["finish_reason"] == "eos" ? finish_reason::eos : finish_reason::interrupted,
                told["text"]);
        session_.chunk(
            reply, {.id = {0, told["seq"]},
                    .text = told["text"],
                    .speech = told["speech"],
                    .boundary = told["boundary"] == "end" ? boundary::end : boundary::sentence});
    }
    void call(std::uint64_t reply, const json& told) {
        const auto after = parse_client_chunk_id(told["after"].get<std::string>());
        session_.call(
            reply,
            {{.id = told["id"], .name = told["name"], .arguments = told["arguments"].dump()}},
            after->seq);
    }
    void take_sent() {
        for (auto& m : session_.sent(socket_)) waiting_.push_back(std::move(m));
    }

    voice_session_driver session_{{.session = "kq3XH0m1TzqNQqC0pW9b6A"}};
    voice_socket socket_ = 0;
    bool is_attached_ = false;
    std::deque<json> waiting_;
};

TEST(voice_page, has_a_dialogue_that_goes_as_it_says) {
    page_dialogue dialogue;
    for (const auto& line : lines_of("voice-websocket.md"))
        if (line.starts_with(page_dialogue::client) || line.starts_with(page_dialogue::gateway) ||
            line.starts_with(page_dialogue::breaks))
            dialogue.play(line);
    EXPECT_GT(dialogue.lines, 20);
}

}  // namespace
}  // namespace tandem::gateway

#include "conversation/history/conversation_json.hpp"

#include "base/enum_names.hpp"
#include "wire/calls/answer_reader.hpp"
#include "wire/json/json_limits.hpp"
#include "wire/json/json_text.hpp"
#include "wire/json/wire_limits.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <utility>

namespace tandem::wire {
namespace {

constexpr int version = 1;
constexpr double max_duration_ms = 1e12;  // keeps the nanoseconds within 64 bits

// Writing

json json_of(const tool_call& c) {
    return {{"id", c.id}, {"name", c.name}, {"arguments", c.arguments}};
}

json json_of(const chat_message& m);
json json_of(const saved_exchange& e);
json json_of(const saved_chunk& c);
json json_of(const speech_run& r);

template <class T>
json json_of(const std::vector<T>& list) {
    auto all = json::array();
    for (const auto& item : list) all.push_back(json_of(item));
    return all;
}

json json_of(const chat_message& m) {
    json object{{"role", m.role}, {"content", m.content}};
    if (!m.tool_calls.empty()) object["tool_calls"] = json_of(m.tool_calls);
    if (!m.tool_call_id.empty()) object["tool_call_id"] = m.tool_call_id;
    if (!m.name.empty()) object["name"] = m.name;
    return object;
}

json json_of(const saved_exchange& e) {
    return {{"messages", json_of(e.messages)}, {"tokens", e.tokens}};
}

json json_of(const conversation_options& o) {
    return {{"messages", json_of(o.messages)},
            {"interrupted", to_string(o.interrupted)},
            {"interrupted_mark", o.interrupted_mark},
            {"resume_grace_ms", to_ms(o.resume_grace)},
            {"reply_reserve", o.reply_reserve},
            {"trim_slack", o.trim_slack},
            {"trim", o.trim},
            {"draft_limit", o.draft_limit},
            {"isolate", o.isolate},
            {"raw", o.raw}};
}

json json_of(const speech_run& r) {
    return {{"speech", r.speech}, {"text", r.text}};
}

json json_of(const saved_chunk& c) {
    return {{"reply", c.reply},        {"seq", c.seq},
            {"begin", c.begin},        {"end", c.end},
            {"speech", c.speech},      {"speech_runs", json_of(c.speech_runs)},
            {"ends_word", c.ends_word}};
}

json json_of(const saved_open_turn& t) {
    return {{"text", t.text},
            {"handed_over", t.handed_over},
            {"heard", t.heard},
            {"spoken", t.spoken},
            {"chunks", json_of(t.chunks)},
            {"filler", t.filler},
            {"complete", t.is_complete},
            {"given", t.is_given},
            {"kept_messages", t.kept_messages}};
}

json json_of(const saved_turn& t) {
    return {{"generated", t.generated}, {"handed_over", t.handed_over}, {"heard", t.heard}};
}

// Reading

/// Reads JSON values into the structures. The first function that finds a fault records it and
/// returns false, and reading stops. Strings are moved out of the JSON.
class conversation_reader {
 public:
    bool read(json& root, saved_conversation& out) {
        return check_version(root) && read_member(root, "", "options", out.options) &&
               read_member(root, "", "exchanges", out.exchanges) &&
               read_member(root, "", "last_turn", out.last_turn) &&
               read_member(root, "", "open_turn", out.open_turn) &&
               read_member(root, "", "late_calls", out.late_calls) &&
               read_member(root, "", "server", out.server);
    }
    std::optional<config_fault> fault() && { return std::move(fault_); }

 private:
    bool check_version(json& root) {
        if (!root.is_object()) return fail_type(root, "conversation", "an object");
        int found = 0;
        const auto& v = wire::member(root, "version");
        if (v.is_null()) return fail("version", "is missing");
        if (!read_int(v, 1, found)) return fail("version", "must be a whole number of at least 1");
        if (found <= version) return true;
        return fail("version",
                    fmt::format("is {}; this build reads versions up to {}", found, version));
    }

    bool fail(std::string field, std::string message) {
        fault_ = config_fault{std::move(field), std::move(message)};
        return false;
    }
    bool fail_type(const json& value, std::string at, const char* expected) {
        return fail(std::move(at),
                    fmt::format("is of type {}, but must be {}", value.type_name(), expected));
    }

    /// Reads the member `key` of the object at path `at`; a missing member changes nothing.
    template <class T>
    bool read_member(json& object, const std::string& at, const char* key, T& out) {
        const auto found = object.find(key);
        if (found == object.end()) return true;
        return read_value(*found, at.empty() ? key : at + "." + key, out);
    }

    bool read_value(json& v, const std::string& at, std::string& out) {
        if (!v.is_string()) return fail_type(v, at, "a string");
        out = std::move(v.get_ref<std::string&>());
        return true;
    }
    bool read_value(json& v, const std::string& at, bool& out) {
        if (!v.is_boolean()) return fail_type(v, at, "true or false");
        out = v.get<bool>();
        return true;
    }
    bool read_value(json& v, const std::string& at, int& out) {
        constexpr int least = -1;
        return read_int(v, least, out) || fail(at, "must be a whole number from -1 to 2147483647");
    }
    bool read_value(json& v, const std::string& at, std::size_t& out) {
        if (!v.is_number_unsigned()) return fail(at, "must be a whole number of at least 0");
        out = v.get<std::size_t>();
        return true;
    }
    bool read_value(json& v, const std::string& at, std::uint32_t& out) {
        std::size_t read = 0;
        if (!read_value(v, at, read)) return false;
        out = static_cast<std::uint32_t>(read);
        return out == read || fail(at, "is greater than 4294967295");
    }
    bool read_value(json& v, const std::string& at, double& out) {
        if (!v.is_number()) return fail_type(v, at, "a number");
        out = v.get<double>();
        return true;
    }
    bool read_value(json& v, const std::string& at, history_policy& out) {
        std::string name;
        if (!read_value(v, at, name)) return false;
        const auto read = parse_enum<history_policy>(name);
        out = read.value_or(out);
        return read || fail(at, "must be heard, handed_over, full or none");
    }

    bool read_value(json& v, const std::string& at, tool_call& out) {
        if (!v.is_object()) return fail_type(v, at, "an object");
        return read_member(v, at, "id", out.id) && read_member(v, at, "name", out.name) &&
               read_member(v, at, "arguments", out.arguments);
    }
    bool read_value(json& v, const std::string& at, chat_message& out) {
        if (!v.is_object()) return fail_type(v, at, "an object");
        const bool is_read = read_member(v, at, "role", out.role) &&
                             read_member(v, at, "content", out.content) &&
                             read_member(v, at, "tool_calls", out.tool_calls) &&
                             read_member(v, at, "tool_call_id", out.tool_call_id) &&
                             read_member(v, at, "name", out.name);
        if (!is_read) return false;
        return !out.role.empty() || fail(at + ".role", "is missing or empty");
    }
    bool read_value(json& v, const std::string& at, saved_exchange& out) {
        if (!v.is_object()) return fail_type(v, at, "an object");
        return read_member(v, at, "messages", out.messages) &&
               read_member(v, at, "tokens", out.tokens);
    }
    bool read_value(json& v, const std::string& at, saved_turn& out) {
        if (!v.is_object()) return fail_type(v, at, "an object");
        const bool is_read = read_member(v, at, "generated", out.generated) &&
                             read_member(v, at, "handed_over", out.handed_over) &&
                             read_member(v, at, "heard", out.heard);
        if (!is_read) return false;
        if (out.heard > out.handed_over) return fail(at + ".heard", "is greater than handed_over");
        return out.handed_over <= out.generated ||
               fail(at + ".handed_over", "is greater than generated");
    }
    bool read_value(json& v, const std::string& at, speech_run& out) {
        if (!v.is_object()) return fail_type(v, at, "an object");
        return read_member(v, at, "speech", out.speech) && read_member(v, at, "text", out.text);
    }
    bool read_value(json& v, const std::string& at, saved_chunk& out) {
        if (!v.is_object()) return fail_type(v, at, "an object");
        return read_member(v, at, "reply", out.reply) && read_member(v, at, "seq", out.seq) &&
               read_member(v, at, "begin", out.begin) && read_member(v, at, "end", out.end) &&
               read_member(v, at, "speech", out.speech) &&
               read_member(v, at, "speech_runs", out.speech_runs) &&
               read_member(v, at, "ends_word", out.ends_word);
    }
    bool read_value(json& v, const std::string& at, saved_open_turn& out) {
        if (!v.is_object()) return fail_type(v, at, "an object");
        return read_member(v, at, "text", out.text) &&
               read_member(v, at, "handed_over", out.handed_over) &&
               read_member(v, at, "heard", out.heard) && read_member(v, at, "spoken", out.spoken) &&
               read_member(v, at, "chunks", out.chunks) &&
               read_member(v, at, "filler", out.filler) &&
               read_member(v, at, "complete", out.is_complete) &&
               read_member(v, at, "given", out.is_given) &&
               read_member(v, at, "kept_messages", out.kept_messages);
    }
    template <class T>
    bool read_value(json& v, const std::string& at, std::optional<T>& out) {
        return read_value(v, at, out.emplace());
    }
    bool read_value(json& v, const std::string& at, conversation_options& out) {
        if (!v.is_object()) return fail_type(v, at, "an object");
        double grace = to_ms(out.resume_grace);
        const bool is_read = read_member(v, at, "messages", out.messages) &&
                             read_member(v, at, "interrupted", out.interrupted) &&
                             read_member(v, at, "interrupted_mark", out.interrupted_mark) &&
                             read_member(v, at, "resume_grace_ms", grace) &&
                             read_member(v, at, "reply_reserve", out.reply_reserve) &&
                             read_member(v, at, "trim_slack", out.trim_slack) &&
                             read_member(v, at, "trim", out.trim) &&
                             read_member(v, at, "draft_limit", out.draft_limit) &&
                             read_member(v, at, "isolate", out.isolate) &&
                             read_member(v, at, "raw", out.raw);
        if (!is_read) return false;
        if (!(grace >= 0 && grace <= max_duration_ms))
            return fail(at + ".resume_grace_ms",
                        fmt::format("is {}, which is not a valid time", grace));
        out.resume_grace = duration(std::llround(grace * 1e6));
        return true;
    }

    template <class T>
    bool read_value(json& v, const std::string& at, std::vector<T>& out) {
        if (!v.is_array()) return fail_type(v, at, "a list");
        auto& count = count_of(out);
        count += v.size();
        if (count > max_saved_messages)
            return fail(at, fmt::format("brings their number to {}; the maximum is {}", count,
                                        max_saved_messages));
        out.resize(v.size());
        for (std::size_t i = 0; i < out.size(); ++i)
            if (!read_value(v[i], fmt::format("{}[{}]", at, i), out[i])) return false;
        return true;
    }
    std::size_t& count_of(const std::vector<chat_message>&) { return messages_; }
    std::size_t& count_of(const std::vector<saved_exchange>&) { return exchanges_; }
    std::size_t& count_of(const std::vector<tool_call>&) { return calls_; }
    std::size_t& count_of(const std::vector<saved_chunk>&) { return chunks_; }
    std::size_t& count_of(const std::vector<speech_run>&) { return runs_; }

    std::size_t messages_ = 0;
    std::size_t exchanges_ = 0;
    std::size_t calls_ = 0;
    std::size_t chunks_ = 0;
    std::size_t runs_ = 0;
    std::optional<config_fault> fault_;
};

}  // namespace

std::string serialize_conversation(const saved_conversation& c) {
    json root{{"version", version},
              {"options", json_of(c.options)},
              {"exchanges", json_of(c.exchanges)},
              {"last_turn", json_of(c.last_turn)}};
    if (c.open_turn) root["open_turn"] = json_of(*c.open_turn);
    if (!c.late_calls.empty()) root["late_calls"] = json_of(c.late_calls);
    if (!c.server.empty()) root["server"] = c.server;
    return dump_json(root);
}

std::optional<config_fault> read_conversation(std::string_view text, saved_conversation& out) {
    constexpr json_limits limits{.depth = max_depth, .values = max_saved_values};
    if (auto fault = describe_text_fault(text, max_saved_bytes, limits); !fault.empty())
        return config_fault{"conversation", std::move(fault)};
    conversation_reader reader;
    saved_conversation read;
    auto root = json::parse(text, nullptr, false);
    if (!reader.read(root, read)) return std::move(reader).fault();
    out = std::move(read);
    return std::nullopt;
}

std::string format_tool_call(const tool_call& call) {
    std::string text = R"({"name": )";
    append_string(call.name, text);
    text += R"(, "arguments": )";
    if (call.arguments.empty())
        text += "{}";
    else if (json::accept(call.arguments))
        text += call.arguments;
    else
        append_string(call.arguments, text);
    return text + "}";
}

}  // namespace tandem::wire

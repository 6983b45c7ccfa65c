#include "gateway/voice/voice_message_reader.hpp"

#include "base/trace_context.hpp"
#include "gateway/access/model_name.hpp"
#include "gateway/json/request_body.hpp"
#include "gateway/requests/message_reader.hpp"
#include "gateway/requests/request_constraints.hpp"
#include "gateway/requests/request_options.hpp"
#include "gateway/voice/turn_id.hpp"
#include "gateway/voice/voice_fields.hpp"
#include "gateway/voice/voice_value_reader.hpp"
#include "text/characters/white_space.hpp"
#include "wire/calls/request_fields.hpp"
#include "wire/json/json_limits.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tandem::gateway {
namespace {

// Keeps the order of members, because models write the properties of a schema in that order.
using json = nlohmann::ordered_json;

// 20,000 values suffice for a history of about 2,000 messages.
constexpr wire::json_limits message_limits{.depth = 32, .values = 20'000, .keys = 128};
constexpr std::size_t max_session_bytes = 64;
constexpr std::size_t max_fillers = 32;
constexpr std::size_t max_filler_bytes = 256;

// Whether messages give this option of the library in milliseconds.
bool is_time(std::string_view option) noexcept {
    return option == "resume_grace" || option == "peek_hold" || option == "chunk_deadline" ||
           option == "reasoning_limit";
}

constexpr auto no_prompt_option = "cannot be combined with prompt; leave it out";

/// Reads messages, and checks their contents.
class voice_message_reader : public voice_value_reader<voice_message_reader> {
 public:
    using voice_value_reader::read_value;

    /// `duplicate`: the error for a field that appears twice.
    std::variant<voice_message, voice_message_error> read(json& root,
                                                          std::optional<api_error> duplicate) {
        std::string type;
        if (!root.is_object())
            return voice_message_error{
                make_error(400, "invalid_json", "a message is a JSON object")};
        if (!require_member(root, "", "type") || !read_value(root["type"], "type", type))
            return voice_message_error{std::move(fault_)};
        std::optional<voice_message> found;
        voice_message_ids ids;
        for_each_voice_message([&](std::string_view name, auto message) {
            if (name != type) return;
            if constexpr (requires { message.turn; }) ids.turn = turn_in(root);
            if constexpr (requires { message.call; }) ids.call = call_in(root);
            read_value(root, "", message);
            found = std::move(message);
        });
        if (!found) return voice_message_error{unknown_type(type)};
        if (duplicate && duplicate->param == "turn") ids.turn.clear();
        if (duplicate && duplicate->param == "call") ids.call.clear();
        if (duplicate) return voice_message_error{*std::move(duplicate), std::move(ids)};
        if (!fault_.message.empty()) return voice_message_error{std::move(fault_), std::move(ids)};
        return std::move(*found);
    }

 private:
    friend voice_value_reader;

    static api_error unknown_type(const std::string& type) {
        std::string known;
        for_each_voice_message([&](std::string_view name, const auto&) {
            known += known.empty() ? "" : ", ";
            known += name;
        });
        return make_error(400, "unknown_type",
                          fmt::format("type is \"{}\"; known are {}", quote_text(type), known),
                          "type");
    }

    template <class Options>
    bool check_options(const Options& options, const std::string& at) {
        const auto faults = check(options);
        if (faults.empty()) return true;
        auto path = append_path(at, faults[0].field.c_str());
        if (is_time(faults[0].field)) path += "_ms";
        return fail(path, faults[0].message);
    }

    // Reads an id before any string is moved out of `root`, because errors in other fields contain
    // the id.
    static std::string turn_in(json& root) {
        const auto* const turn = find(root, "turn");
        if (!turn || !turn->is_string()) return {};
        const auto& id = turn->get_ref<const std::string&>();
        return is_turn_id(id) ? id : std::string();
    }
    static std::string call_in(json& root) {
        const auto* const call = find(root, "call");
        return call && call->is_string() ? call->get<std::string>() : std::string();
    }
    bool check_turn(json& root, const std::string& turn) {
        return require(!find(root, "turn") || is_turn_id(turn), "turn",
                       "must be 1 to 64 letters, digits and ._:- of ASCII");
    }

    bool read_value(json& v, const std::string& at, client_chunk_id& out) {
        std::string text;
        if (!read_value(v, at, text)) return false;
        const auto name = parse_client_chunk_id(text);
        out = name.value_or(client_chunk_id());
        return name || fail(at, "is not a chunk ID; send the ID of the chunk unchanged");
    }
    bool read_value(json& v, const std::string& at, generation_changes& out) {
        if (!v.is_object()) return fail_type(v, at, "an object");
        if (!v.empty()) out.text = v.dump();
        bool is_read = check_tool_options(v, at) && convert_response_format(v, at);
        for_each_voice_field(out, [&](const char* name, auto& field) {
            auto* found = find(v, name);
            if (!is_read || !found) return;
            write_as_text(name, *found);
            is_read = read_value(*found, append_path(at, name), field);
            out.given.push_back(name);
        });
        out.values.sampling = extract_members(v, wire::sampling_field_names());
        out.values.template_options = extract_members(v, wire::template_field_names());
        return is_read && check_options(apply_changes({}, out), at) &&
               require(!out.lora || out.lora->size() <= max_adapters, append_path(at, "lora"),
                       "has too many adapters");
    }
    // `tools` and `tool_choice` have the format of OpenAI's API. A choice that names a function is
    // converted to the name.
    bool check_tool_options(json& options, const std::string& at) {
        field_reader fields;
        const auto* const tools = find(options, "tools");
        if (tools && !check_tools(fields, *tools, append_path(at, "tools")))
            return take_fault(fields);
        auto* const choice = find(options, "tool_choice");
        std::string text;
        if (choice && !read_tool_choice(fields, *choice, append_path(at, "tool_choice"), text))
            return take_fault(fields);
        if (choice) *choice = std::move(text);
        return true;
    }
    // Converts OpenAI's format to a schema. The format "text" overrides the session's format.
    bool convert_response_format(json& options, const std::string& at) {
        const auto* const format = find(options, "response_format");
        if (!format) return true;
        const auto path = append_path(at, "response_format");
        field_reader fields;
        json schema;
        if (!read_response_format(fields, *format, path, schema)) return take_fault(fields);
        if (find(options, "json_schema") || find(options, "grammar"))
            return require(schema.is_null(), path,
                           "cannot be combined with json_schema or grammar; send one of them");
        options["json_schema"] = schema.is_null() ? json("") : std::move(schema);
        options["grammar"] = "";
        return true;
    }
    // Clients send these options as JSON, but the library takes them as text, which is empty if
    // there are no tools.
    static void write_as_text(std::string_view name, json& v) {
        if (name == "json_schema" && v.is_structured()) v = v.dump();
        if (name == "tools") v = serialize_tools(std::move(v));
    }
    bool take_fault(field_reader& fields) {
        fault_ = std::move(fields).fault();
        fault_.code = "invalid_value";
        return false;
    }
    // Accepts the server's adapter number in place of the name.
    bool read_value(json& v, const std::string& at, requested_adapter& out) {
        if (!v.is_object()) return fail_type(v, at, "an object");
        if (auto* id = find(v, "id"); id && id->is_number_integer()) *id = id->dump();
        return require_member(v, at, "id") && read_members(v, at, out) &&
               require(std::abs(out.scale) <= max_adapter_scale, append_path(at, "scale"),
                       "is out of range");
    }
    bool read_value(json& v, const std::string& at, conversation_changes& out) {
        return read_members(v, at, out) && check_options(apply_changes({}, out), at);
    }
    bool read_value(json& v, const std::string& at, voice_filler& out) {
        if (!v.is_object()) return fail_type(v, at, "an object");
        return require_member(v, at, "after_ms") && require_member(v, at, "texts") &&
               read_members(v, at, out) && check_fillers(out.texts, append_path(at, "texts"));
    }
    bool check_fillers(const std::vector<std::string>& texts, const std::string& at) {
        const auto is_right = [](const std::string& text) {
            return text.size() <= max_filler_bytes && !text::is_all_white_space(text);
        };
        return require(
            !texts.empty() && texts.size() <= max_fillers && std::ranges::all_of(texts, is_right),
            at,
            fmt::format("must be 1 to {} texts of 1 to {} bytes, not only space", max_fillers,
                        max_filler_bytes));
    }
    bool read_value(json& v, const std::string& at, voice::continued& out) {
        return require_member(v, at, "chunk") && read_members(v, at, out);
    }
    bool read_value(json& v, const std::string& at, voice::speaking& out) {
        return require_member(v, at, "chunk") && require_member(v, at, "ends_in_ms") &&
               read_members(v, at, out);
    }
    bool read_value(json& v, const std::string& at, voice::heard& out) {
        return read_place(v, at, out) && require(count_places(out) == 1, append_path(at, "chars"),
                                                 "or share, words or said: give exactly one");
    }
    bool read_value(json& v, const std::string& at, voice::last_heard& out) {
        const auto places = [&] { return count_places(out); };
        return read_place(v, at, out) &&
               require(places() == 1 || (places() == 0 && out.speaking), append_path(at, "chars"),
                       "or share, words or said: give exactly one, or none with speaking");
    }
    template <class Heard>
    bool read_place(json& v, const std::string& at, Heard& out) {
        if (!v.is_object()) return fail_type(v, at, "an object");
        if (!require_member(v, at, "chunk") || !read_members(v, at, out)) return false;
        const double share = out.share.value_or(0);
        return (share >= 0 && share <= 1) ||
               fail(append_path(at, "share"), fmt::format("is {}; it must be 0 to 1", share));
    }
    static int count_places(const voice::heard& m) {
        return m.chars.has_value() + m.share.has_value() + m.words.has_value() + m.said.has_value();
    }
    bool read_value(json& v, const std::string& at, voice::resume& out) {
        return read_members(v, at, out) && check_turn(v, out.turn);
    }
    bool read_value(json& v, const std::string& at, voice::result& out) {
        return require_member(v, at, "call") && read_members(v, at, out) &&
               require(out.content.has_value() != out.later, "content",
                       "or later is required, but not both");
    }
    bool read_value(json& v, const std::string& at, voice::hearing& out) {
        return require_member(v, at, "text") && read_members(v, at, out);
    }
    bool read_value(json& v, const std::string& at, voice::say& out) {
        return read_words(v, at, out);
    }
    bool read_value(json& v, const std::string& at, voice::draft& out) {
        return read_words(v, at, out);
    }
    template <class Message>
    bool read_words(json& v, const std::string& at, Message& out) {
        return require_member(v, at, "text") && read_members(v, at, out) &&
               check_turn(v, out.turn) && check_words(out.text, "text");
    }
    bool read_value(json& v, const std::string& at, voice::commit& out) {
        return require_member(v, at, "text") && read_members(v, at, out) && check_start(v, at, out);
    }
    bool read_value(json& v, const std::string& at, voice::start& out) {
        return read_members(v, at, out) && check_start(v, at, out);
    }
    bool check_start(json& v, const std::string& at, const voice::start& m) {
        return check_turn(v, m.turn) && check_sizes(m) && check_texts(m) && check_session(m) &&
               require(m.traceparent.empty() || is_valid_traceparent(m.traceparent), "traceparent",
                       "is not a valid W3C traceparent") &&
               check_options(conversation_options{.messages = m.messages}, at);
    }
    bool check_sizes(const voice::start& m) {
        return require(m.session.size() <= max_session_bytes, "session", "is not a session ID") &&
               require(m.model.size() <= max_model_name_bytes, "model", "is too long");
    }
    bool check_words(std::string_view text, std::string field) {
        field_reader fields;
        return gateway::check_words(fields, text, std::move(field)) || take_fault(fields);
    }
    bool check_texts(const voice::start& m) {
        return (!m.text || check_words(*m.text, "text")) && check_last_message(m) &&
               (!m.prompt || check_words(*m.prompt, "prompt")) &&
               require(!m.prompt || (!m.text && m.messages.empty()), "prompt",
                       "cannot be combined with text or messages") &&
               require(!m.prompt || m.options.values.tools.empty(), "options.tools",
                       no_prompt_option) &&
               require(!m.prompt || m.options.values.tool_choice.empty(), "options.tool_choice",
                       no_prompt_option) &&
               require(!m.prompt || !is_given(m.options, "parallel_tool_calls"),
                       "options.parallel_tool_calls", no_prompt_option) &&
               require(!m.prompt || m.options.values.context.empty(), "options.context",
                       no_prompt_option) &&
               check_template_options(m);
    }
    static bool is_given(const generation_changes& changes, std::string_view name) {
        return std::ranges::find(changes.given, name) != changes.given.end();
    }
    // A user's last message must have words, because the model replies to it.
    bool check_last_message(const voice::start& m) {
        if (m.text || m.messages.empty() || m.messages.back().role != "user") return true;
        return check_words(m.messages.back().content,
                           fmt::format("messages[{}].content", m.messages.size() - 1));
    }
    bool check_template_options(const voice::start& m) {
        const auto& asked = m.options.values.template_options;
        if (!m.prompt || asked.empty()) return true;
        const auto fields = json::parse(asked);
        return fail(append_path("options", fields.begin().key().c_str()), no_template_message);
    }
    bool read_value(json& v, const std::string& at, chat_message& out) {
        field_reader fields;
        return read_message(fields, v, at, out) || take_fault(fields);
    }
    // A start that resumes a session must not repeat messages, because history would contain them
    // twice.
    bool check_session(const voice::start& m) {
        return require(!m.session.empty() || !m.last, "last",
                       "is only for a session that is resumed; add session") &&
               require(
                   m.session.empty() || m.messages.empty(), "messages",
                   "cannot be combined with session, which has its own history; send only text") &&
               require(m.session.empty() || m.conversation == conversation_changes(),
                       "conversation",
                       "cannot be combined with session, which has its own options");
    }
};

}  // namespace

voice_message_ids get_ids(const voice_message& message) {
    voice_message_ids ids;
    std::visit(
        [&](const auto& m) {
            if constexpr (requires { m.turn; }) ids.turn = m.turn;
            if constexpr (requires { m.call; }) ids.call = m.call;
        },
        message);
    return ids;
}

std::variant<voice_message, voice_message_error> parse_voice_message(std::string_view text) {
    if (const auto fault = wire::describe_json_fault(text, message_limits); !fault.empty())
        return voice_message_error{make_error(400, "invalid_json", "the message " + fault)};
    auto root = json::parse(text, nullptr, false);
    return voice_message_reader().read(root, refuse_duplicate_field(text));
}

}  // namespace tandem::gateway

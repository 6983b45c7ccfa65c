#include "gateway/requests/response_request.hpp"

#include "gateway/json/field_reader.hpp"
#include "gateway/json/json_text.hpp"
#include "gateway/json/request_body.hpp"
#include "gateway/requests/request_options.hpp"
#include "text/characters/utf8.hpp"
#include "wire/calls/request_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

constexpr unsupported_field unsupported_fields_of_responses[] = {
    {"background"}, {"conversation"}, {"prompt"}, {"context_management"}, {"max_tool_calls"}};

/// Fields that mean the same in a chat request, besides wire::sampling_field_names().
constexpr const char* same_fields[] = {"model",
                                       "stream",
                                       "temperature",
                                       "top_p",
                                       "parallel_tool_calls",
                                       "top_logprobs",
                                       "user",
                                       "prompt_cache_key",
                                       "session_id",
                                       "top_k",
                                       "min_p",
                                       "seed",
                                       "stop",
                                       "presence_penalty",
                                       "frequency_penalty",
                                       "repeat_penalty",
                                       "repeat_last_n",
                                       "lora",
                                       "chat_template_kwargs",
                                       "reasoning_limit_ms",
                                       "reasoning_limit_tokens",
                                       "stream_by",
                                       "language",
                                       "first_chunk_min_tokens",
                                       "first_chunk_max_tokens",
                                       "chunk_max_tokens",
                                       "chunk_min_chars",
                                       "peek_hold_ms",
                                       "chunk_deadline_ms",
                                       "grammar"};

/// Fields of the request that a response repeats, because clients require some of them.
constexpr const char* repeated_fields[] = {"instructions", "max_output_tokens", "temperature",
                                           "top_p",        "reasoning",         "text",
                                           "user",         "metadata"};

bool check_length(field_reader& fields, const std::string& path, std::string_view what,
                  std::string_view text, std::size_t most) {
    const auto n = text::count_characters(text);
    return n <= most ||
           fields.fail_invalid(
               path, fmt::format("has {}{} characters; the maximum is {}", what, n, most));
}

/// Applies OpenAI's limits, because the response and several of its events repeat the metadata.
bool check_metadata(field_reader& fields, const json& body) {
    constexpr std::size_t max_pairs = 16;
    constexpr std::size_t max_key = 64;
    constexpr std::size_t max_value = 512;
    const auto* metadata = field_reader::find(body, "metadata");
    if (!metadata) return true;
    if (!metadata->is_object()) return fields.fail_wrong_type(*metadata, "metadata", "an object");
    if (metadata->size() > max_pairs)
        return fields.fail_invalid("metadata", fmt::format("has {} pairs; the maximum is {}",
                                                           metadata->size(), max_pairs));
    for (const auto& [key, value] : metadata->items()) {
        if (!check_length(fields, "metadata", "a key of ", key, max_key)) return false;
        const auto path = append_path("metadata", key);
        if (!value.is_string()) return fields.fail_wrong_type(value, path, "a string");
        if (!check_length(fields, path, "", value.get_ref<const std::string&>(), max_value))
            return false;
    }
    return true;
}

/// Converts the body of a request to /v1/responses into a body for /v1/chat/completions.
class chat_body_writer {
 public:
    explicit chat_body_writer(field_reader& fields) : fields_(fields) {}

    bool write(const json& body, json& out) {
        return reject_fields(fields_, body, unsupported_fields_of_responses) &&
               write_messages(body, out) && write_tools(body, out) && write_form(body, out) &&
               write_limits(body, out);
    }
    std::vector<response_request::item_reference> take_references() {
        return std::move(references_);
    }
    /// Replaces the path of a message in the fault with the path in the client's request from which
    /// the message was made.
    void rename(api_error& fault) const {
        rename(fault.param);
        rename(fault.message);
    }

 private:
    /// The item that a message came from, and the member that became the message's content.
    struct origin {
        std::string path;
        std::string_view content;
    };

    bool write_messages(const json& body, json& out) {
        messages_ = json::array();
        std::string instructions;
        if (!fields_.read(body, "", "instructions", instructions)) return false;
        if (!instructions.empty())
            add({{"role", "system"}, {"content", instructions}}, "instructions");
        const auto* input = field_reader::find(body, "input");
        if (!input) return fields_.fail_missing("input");
        if (input->is_string())
            add({{"role", "user"}, {"content", *input}}, "input");
        else if (!input->is_array())
            return fields_.fail_wrong_type(*input, "input", "a string or a list of items");
        for (std::size_t i = 0; input->is_array() && i < input->size(); ++i)
            if (!write_item((*input)[i], append_path("input", i))) return false;
        out["messages"] = std::move(messages_);
        return true;
    }
    void add(json message, std::string path, std::string_view content = "content") {
        messages_.push_back(std::move(message));
        origins_.push_back({std::move(path), content});
    }

    bool write_item(const json& item, const std::string& at) {
        if (!item.is_object()) return fields_.fail_wrong_type(item, at, "an object");
        std::string type = "message";
        if (!fields_.read(item, at, "type", type)) return false;
        if (type == "message") return write_message(item, at);
        if (type == "function_call") return write_call(item, at);
        if (type == "function_call_output") return write_result(item, at);
        if (type == "item_reference") return write_reference(item, at);
        if (type == "reasoning") return true;
        return fields_.fail_unsupported(
            append_path(at, "type"),
            fmt::format("is \"{}\"; it must be message, function_call, function_call_output, "
                        "item_reference or reasoning",
                        quote_text(type)));
    }
    bool write_message(const json& item, const std::string& at) {
        json message = json::object();
        for (const auto* name : {"role", "content"})
            if (const auto* value = field_reader::find(item, name)) message[name] = *value;
        add(std::move(message), at);
        return true;
    }
    // Adds the call to the assistant message before it, because a turn's text and calls form one
    // message.
    bool write_call(const json& item, const std::string& at) {
        std::string id;
        std::string name;
        std::string arguments;
        if (!fields_.read_required(item, at, "call_id", id) ||
            !fields_.read_required(item, at, "name", name) ||
            !fields_.read(item, at, "arguments", arguments))
            return false;
        const auto* role =
            messages_.empty() ? nullptr : field_reader::find(messages_.back(), "role");
        const bool is_reference =
            !references_.empty() && references_.back().message + 1 == messages_.size();
        if (!role || *role != "assistant" || is_reference)
            add({{"role", "assistant"}, {"content", ""}}, at);
        messages_.back()["tool_calls"].push_back(
            {{"id", id},
             {"type", "function"},
             {"function", {{"name", name}, {"arguments", arguments}}}});
        return true;
    }
    bool write_result(const json& item, const std::string& at) {
        std::string id;
        const auto* output = field_reader::find(item, "output");
        if (!fields_.read_required(item, at, "call_id", id)) return false;
        if (!output) return fields_.fail_missing(append_path(at, "output"));
        add({{"role", "tool"}, {"tool_call_id", id}, {"content", *output}}, at, "output");
        return true;
    }

    bool write_reference(const json& item, const std::string& at) {
        std::string id;
        if (!fields_.read_required(item, at, "id", id)) return false;
        references_.push_back({messages_.size(), std::move(id)});
        add({{"role", "assistant"}, {"content", ""}}, at);
        return true;
    }

    bool write_tools(const json& body, json& out) {
        const auto* tools = field_reader::find(body, "tools");
        if (tools && !tools->is_array()) return fields_.fail_wrong_type(*tools, "tools", "a list");
        for (std::size_t i = 0; tools && i < tools->size(); ++i)
            if (!write_tool((*tools)[i], append_path("tools", i), out["tools"])) return false;
        const auto* choice = field_reader::find(body, "tool_choice");
        if (!choice) return true;
        out["tool_choice"] = *choice;
        if (choice->is_object() && field_reader::find(*choice, "name"))
            out["tool_choice"] = {{"type", choice->value("type", json("function"))},
                                  {"function", {{"name", (*choice)["name"]}}}};
        return true;
    }
    bool write_tool(const json& tool, const std::string& at, json& out) {
        if (!tool.is_object()) return fields_.fail_wrong_type(tool, at, "an object");
        std::string type;
        if (!fields_.read_required(tool, at, "type", type)) return false;
        if (type != "function")
            return fields_.fail_unsupported(
                append_path(at, "type"),
                fmt::format(R"(is "{}"; only "function" is supported)", quote_text(type)));
        auto function = tool;
        function.erase("type");
        function.erase("strict");
        out.push_back({{"type", "function"}, {"function", std::move(function)}});
        return true;
    }

    bool write_form(const json& body, json& out) {
        const auto* text = field_reader::find(body, "text");
        if (!text) return true;
        if (!text->is_object()) return fields_.fail_wrong_type(*text, "text", "an object");
        const auto* verbosity = field_reader::find(*text, "verbosity");
        if (verbosity && *verbosity != "medium")
            return fields_.fail_unsupported("text.verbosity", "is not supported; leave it out");
        const auto* format = field_reader::find(*text, "format");
        if (!format) return true;
        if (!format->is_object())
            return fields_.fail_wrong_type(*format, "text.format", "an object");
        const bool is_schema = format->value("type", json()) == "json_schema";
        out["response_format"] =
            is_schema ? json{{"type", "json_schema"}, {"json_schema", *format}} : *format;
        return true;
    }

    static void copy_same_fields(const json& body, json& out) {
        const auto copy = [&](std::string_view name) {
            if (const auto* value = field_reader::find(body, name)) out[std::string(name)] = *value;
        };
        std::ranges::for_each(same_fields, copy);
        std::ranges::for_each(wire::sampling_field_names(), copy);
    }

    bool write_limits(const json& body, json& out) {
        copy_same_fields(body, out);
        if (const auto* most = field_reader::find(body, "max_output_tokens"))
            out["max_completion_tokens"] = *most;
        const auto* include = field_reader::find(body, "include");
        if (include &&
            std::ranges::find(*include, "message.output_text.logprobs") != include->end())
            return fields_.fail_unsupported("include",
                                            "has log probabilities, which are not supported");
        if (!check_metadata(fields_, body)) return false;
        const auto* reasoning = field_reader::find(body, "reasoning");
        if (!reasoning) return true;
        if (!reasoning->is_object())
            return fields_.fail_wrong_type(*reasoning, "reasoning", "an object");
        if (const auto* effort = field_reader::find(*reasoning, "effort"))
            out["reasoning_effort"] = *effort;
        return true;
    }

    void rename(std::string& text) const {
        static constexpr std::pair<std::string_view, std::string_view> names[] = {
            {"response_format.json_schema", "text.format"},
            {"response_format", "text.format"},
            {"max_completion_tokens", "max_output_tokens"},
            {"reasoning_effort", "reasoning.effort"}};
        for (std::size_t i = origins_.size(); i-- > 0;) {
            const auto path = append_path("messages", i);
            if (text.starts_with(path)) return rename(text, path.size(), origins_[i]);
        }
        if (text.starts_with("messages")) return void(text.replace(0, 8, "input"));
        for (const auto& [chat, response] : names)
            if (text.starts_with(chat)) return void(text.replace(0, chat.size(), response));
        constexpr std::string_view level = ".function";
        const auto at = text.find(level);
        if (text.starts_with("tool") && at != text.npos && at < text.find(' '))
            text.erase(at, level.size());
    }

    static void rename(std::string& text, std::size_t length, const origin& from) {
        constexpr std::string_view content = ".content";
        auto path = from.path;
        if (std::string_view(text).substr(length).starts_with(content)) {
            length += content.size();
            path = append_path(path, from.content);
        }
        text.replace(0, length, path);
    }

    field_reader& fields_;
    json messages_;
    std::vector<origin> origins_;  // of the messages
    std::vector<response_request::item_reference> references_;
};

bool read_own_fields(field_reader& fields, const json& body, response_request& out) {
    std::string truncation = "auto";
    if (!fields.read(body, "", "previous_response_id", out.previous) ||
        !fields.read(body, "", "store", out.store) ||
        !fields.read(body, "", "generate", out.generate) ||
        !fields.read(body, "", "truncation", truncation))
        return false;
    out.trim = truncation == "auto";
    return out.trim || truncation == "disabled" ||
           fields.fail_invalid("truncation", fmt::format(R"(is "{}"; it must be auto or disabled)",
                                                         quote_text(truncation)));
}

std::string encode_repeated(const json& body, const response_request& r) {
    json all = json::object();
    for (const auto* name : repeated_fields)
        if (const auto* value = field_reader::find(body, name)) all[name] = *value;
    const auto* const tools = field_reader::find(body, "tools");
    const auto* const choice = field_reader::find(body, "tool_choice");
    all["tools"] = tools ? *tools : json::array();
    all["tool_choice"] = choice ? *choice : json("auto");
    all["parallel_tool_calls"] = r.options.parallel_tool_calls;
    all["store"] = r.store;
    all["truncation"] = r.trim ? "auto" : "disabled";
    all["previous_response_id"] = text_or_null(r.previous);
    return dump_json(all);
}

}  // namespace

std::variant<response_request, api_error> read_response_request(std::string_view body,
                                                                const request_defaults& defaults) {
    json root;
    if (auto fault = parse_body(body, defaults.max_body_bytes, root)) return *std::move(fault);
    field_reader fields;
    response_request request;
    chat_body_writer writer(fields);
    json chat = json::object();
    if (!read_own_fields(fields, root, request) || !writer.write(root, chat))
        return std::move(fields).fault();
    auto read = read_parsed_chat_request(chat, defaults);
    if (auto* const fault = std::get_if<api_error>(&read)) {
        writer.rename(*fault);
        return std::move(*fault);
    }
    static_cast<chat_request&>(request) = std::get<chat_request>(std::move(read));
    request.has_instructions = !request.messages.empty() &&
                               field_reader::find(root, "instructions") &&
                               !root["instructions"].get_ref<const std::string&>().empty();
    request.references = writer.take_references();
    request.repeated = encode_repeated(root, request);
    return request;
}

}  // namespace tandem::gateway

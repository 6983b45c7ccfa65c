#include "gateway/requests/chat_request.hpp"

#include "gateway/json/request_body.hpp"
#include "gateway/requests/message_reader.hpp"
#include "gateway/requests/request_constraints.hpp"
#include "gateway/requests/request_options.hpp"
#include "wire/calls/request_fields.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

bool refuse_logprobs(field_reader& fields, const json& body) {
    bool logprobs = false;
    if (!fields.read(body, "", "logprobs", logprobs)) return false;
    return !logprobs || fields.fail_unsupported("logprobs", "are not supported");
}

bool refuse_functions(field_reader& fields, const json& body) {
    const auto* functions = field_reader::find(body, "functions");
    const bool is_none = !functions || (functions->is_array() && functions->empty());
    return is_none || fields.fail_unsupported("functions", "is not supported; use tools");
}

bool refuse_modalities(field_reader& fields, const json& body) {
    const auto* modalities = field_reader::find(body, "modalities");
    if (!modalities) return true;
    if (!modalities->is_array()) return fields.fail_wrong_type(*modalities, "modalities", "a list");
    for (std::size_t i = 0; i < modalities->size(); ++i)
        if ((*modalities)[i] != "text")
            return fields.fail_unsupported(append_path("modalities", i), R"(must be "text")");
    return true;
}

bool read(field_reader& fields, const json& body, std::size_t max_messages, chat_request& out) {
    out.options.template_options = extract_members(body, wire::template_field_names());
    return read_messages(fields, body, max_messages, out.messages) &&
           read_options(fields, body, out) && refuse_logprobs(fields, body) &&
           refuse_functions(fields, body) && refuse_modalities(fields, body) &&
           read_constraints(fields, body, out) && check_options(fields, body, out.options);
}

}  // namespace

std::variant<chat_request, api_error> read_chat_request(std::string_view body,
                                                        const request_defaults& defaults) {
    json root;
    if (auto fault = parse_body(body, defaults.max_body_bytes, root)) return *std::move(fault);
    return read_parsed_chat_request(root, defaults);
}

std::variant<chat_request, api_error> read_parsed_chat_request(const json& body,
                                                               const request_defaults& defaults) {
    field_reader fields;
    chat_request request;
    request.options = defaults.generation;
    request.stream_by = defaults.stream_by;
    if (!read(fields, body, defaults.max_messages, request)) return std::move(fields).fault();
    return request;
}

}  // namespace tandem::gateway

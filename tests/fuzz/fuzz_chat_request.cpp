#include "fuzzing.hpp"
#include "gateway/requests/chat_request.hpp"
#include "gateway/requests/completion_request.hpp"
#include "gateway/requests/response_request.hpp"
#include "text/characters/utf8.hpp"
#include "wire/calls/tool_call_formats.hpp"

#include <algorithm>
#include <string>

// A body is either turned into a valid request to the library or refused with a status and a
// message.
namespace {

using namespace tandem;
using namespace tandem::gateway;

const request_defaults defaults{.max_body_bytes = 64 << 10, .max_messages = 20};

bool is_utf8(std::string_view bytes) {
    return text::find_invalid_utf8(bytes) == std::string_view::npos;
}

void require_refused(const api_error& e, std::size_t body_bytes) {
    fuzzing::require(e.status == (body_bytes > defaults.max_body_bytes ? 413 : 400));
    fuzzing::require(!e.message.empty() && e.message.size() < 2048);
    fuzzing::require(is_utf8(e.message) && is_utf8(e.param));
}

void require_usable(const generation_request& r) {
    fuzzing::require(check(r.options).empty());
    fuzzing::require(is_utf8(r.model) && is_utf8(r.affinity_key) && r.affinity_key.size() <= 512);
    fuzzing::require(is_utf8(r.options.tools) && is_utf8(r.options.json_schema));
    fuzzing::require(is_utf8(r.options.tool_choice));
    if (uses_call_schema(r.options)) fuzzing::require(is_utf8(wire::make_call_schema(r.options)));
    for (const auto& s : r.options.stop) fuzzing::require(is_utf8(s));
}

void require_usable(const chat_message& m) {
    const auto& role = m.role;
    fuzzing::require(role == "system" || role == "user" || role == "assistant" || role == "tool");
    fuzzing::require(is_utf8(m.content));
}

void require_right(const chat_request& r) {
    require_usable(static_cast<const generation_request&>(r));
    fuzzing::require(!r.messages.empty() && r.messages.size() <= defaults.max_messages);
    for (const auto& m : r.messages) require_usable(m);
}

void require_right(const completion_request& r) {
    require_usable(r);
    fuzzing::require(is_utf8(r.prompt));
}

template <class Request>
void try_body(const std::variant<Request, api_error>& read, std::size_t bytes) {
    if (const auto* const e = std::get_if<api_error>(&read)) return require_refused(*e, bytes);
    require_right(std::get<Request>(read));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzzing::input in(data, size);
    const auto body = in.rest();
    try_body(read_chat_request(body, defaults), body.size());
    try_body(read_completion_request(body, defaults), body.size());
    try_body(read_response_request(body, defaults), body.size());
    return 0;
}

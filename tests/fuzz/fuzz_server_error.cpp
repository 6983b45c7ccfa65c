#include "fuzzing.hpp"
#include "text/characters/utf8.hpp"
#include "wire/calls/server_messages.hpp"
#include "wire/calls/token_list_reader.hpp"
#include "wire/stream/sanitize_server_text.hpp"
#include "wire/stream/server_error.hpp"

#include <string>
#include <string_view>
#include <vector>

// Every answer gives either a value or an error with messages that are safe to log.
namespace {

using namespace tandem;

void require_safe(const std::string& words) {
    fuzzing::require(text::find_invalid_utf8(words) == std::string::npos);
    for (const char c : words) fuzzing::require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
}

void require_told(const error_code& ec, const diagnostics& diag) {
    if (!ec) return;
    fuzzing::require(ec.category() == error_category() && !diag.client_message.empty());
    require_safe(diag.client_message);
    require_safe(diag.server_message);
    fuzzing::require(diag.server_message.size() <= wire::max_server_text_bytes);
}

template <class Out>
void decode_by(error_code (*decoder)(wire::response_view, Out&, diagnostics&),
               wire::response_view a) {
    Out out{};
    diagnostics diag;
    const auto ec = decoder(a, out, diag);
    require_told(ec, diag);
}

// The general decoder gives the same tokens as the quick decoder. White space before the body makes
// decode_tokens() use the general decoder.
void require_same_tokens(std::string_view body) {
    std::vector<wire::token_id> quick;
    if (!wire::read_token_list(body, quick)) return;
    std::vector<wire::token_id> general;
    diagnostics diag;
    fuzzing::require(!wire::decode_tokens({200, " " + std::string(body)}, general, diag));
    fuzzing::require(general == quick);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr int statuses[] = {200, 400, 401, 404, 500, 501, 503, 0};
    fuzzing::input in(data, size);
    const wire::response_view a{statuses[in.number(7)], in.rest()};
    decode_by<server_props>(wire::decode_props, a);
    decode_by<std::vector<slot_state>>(wire::decode_slots, a);
    decode_by<std::vector<wire::token_id>>(wire::decode_tokens, a);
    require_same_tokens(a.body);
    decode_by<std::string>(wire::decode_rendered_prompt, a);
    decode_by<int>(wire::decode_slot_erased, a);
    diagnostics diag;
    const auto ec = wire::decode_error("/completion", a.http_status, a.body, diag);
    fuzzing::require(static_cast<bool>(ec));
    require_told(ec, diag);
    return 0;
}

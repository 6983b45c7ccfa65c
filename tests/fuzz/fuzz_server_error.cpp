#include "fuzzing.hpp"
#include "text/utf8.hpp"
#include "wire/server_error.hpp"
#include "wire/server_messages.hpp"
#include "wire/server_words.hpp"

#include <string>

// Every answer has a meaning or an error in words that are safe to log.
namespace {

using namespace tandem;

void require_safe(const std::string& words) {
    fuzzing::require(text::find_invalid(words) == std::string::npos);
    for (const char c : words) fuzzing::require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
}

void require_told(const error_code& ec, const diagnostics& diag) {
    if (!ec) return;
    fuzzing::require(ec.category() == error_category() && !diag.client_message.empty());
    require_safe(diag.client_message);
    require_safe(diag.server_message);
    fuzzing::require(diag.server_message.size() <= wire::max_words_bytes);
}

template <class Out>
void decode_by(error_code (*decoder)(wire::answer, Out&, diagnostics&), wire::answer a) {
    Out out{};
    diagnostics diag;
    const auto ec = decoder(a, out, diag);
    require_told(ec, diag);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr int statuses[] = {200, 400, 401, 404, 500, 501, 503, 0};
    fuzzing::input in(data, size);
    const wire::answer a{statuses[in.number(7)], in.rest()};
    decode_by<server_props>(wire::decode_props, a);
    decode_by<std::vector<slot_state>>(wire::decode_slots, a);
    decode_by<std::vector<wire::token_id>>(wire::decode_tokens, a);
    decode_by<std::string>(wire::decode_prompt, a);
    decode_by<int>(wire::decode_slot_erased, a);
    diagnostics diag;
    const auto ec = wire::decode_error("/completion", a.http_status, a.body, diag);
    fuzzing::require(static_cast<bool>(ec));
    require_told(ec, diag);
    return 0;
}

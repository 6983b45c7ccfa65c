#include "fuzzing.hpp"
#include "text/characters/utf8.hpp"
#include "wire/stream/fast_token_event_reader.hpp"
#include "wire/stream/sanitize_server_text.hpp"
#include "wire/stream/token_event_decoder.hpp"

#include "tandem/utf8.hpp"

#include <string>

// Decoded fields are valid UTF-8, except the text, which contains the received bytes. The result
// does not depend on what the event object contained before.
namespace {

using namespace tandem;
using kind = wire::token_event::kind;

bool is_valid(const std::string& text) {
    return text::find_invalid_utf8(text) == std::string::npos;
}

wire::token_event used_event() {
    wire::token_event e;
    wire::decode_token_event(
        R"({"content":"x","tokens":[1],"stop":true,"id_slot":3,"stopping_word":"y"})", e);
    wire::decode_token_event(R"({"error":{"code":500,"message":"m","type":"t","n_ctx":1}})", e);
    return e;
}

bool same(const wire::token_event& a, const wire::token_event& b) {
    return a.what == b.what && a.content == b.content && a.tokens == b.tokens &&
           a.predicted == b.predicted && a.prompt_tokens == b.prompt_tokens &&
           a.has_timings == b.has_timings && a.timings.cached == b.timings.cached &&
           a.stop == b.stop && a.stopping_word == b.stopping_word && a.id_slot == b.id_slot &&
           a.slot_tokens == b.slot_tokens && a.truncated == b.truncated &&
           a.error_status == b.error_status && a.error_type == b.error_type &&
           a.error_message == b.error_message && a.error_context == b.error_context;
}

// The quick reader, for events in the current format, agrees with the general decoder. White space
// after the brace makes decode_token_event() use the general decoder.
void require_quick_reader_agrees(std::string_view json) {
    wire::token_event quick, general;
    if (!is_valid(std::string(json)) || !wire::read_token_event_fast(json, quick)) return;
    const auto rest = json.substr(1);
    const auto general_ec = wire::decode_token_event("{ " + std::string(rest), general);
    // The quick reader ignores everything after the counts, where the general decoder may find
    // errors.
    fuzzing::require(general_ec || same(quick, general));
}

// Invalid UTF-8 bytes do not change the decoding of other bytes.
void require_same_of_valid(std::string_view json, wire::token_event found) {
    // Skips input whose messages may be cut off: with replacement characters, which are longer than
    // invalid bytes, the cut is at another place.
    if (json.size() > wire::max_server_text_bytes / 4) return;
    wire::token_event valid;
    fuzzing::require(!wire::decode_token_event(sanitized_utf8(json), valid));
    found.content = sanitized_utf8(found.content);
    fuzzing::require(same(found, valid));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view json(reinterpret_cast<const char*>(data), size);
    require_quick_reader_agrees(json);
    wire::token_event fresh, used = used_event();
    const auto ec = wire::decode_token_event(json, fresh);
    fuzzing::require(wire::decode_token_event(json, used) == ec);
    if (ec) return 0;
    fuzzing::require(same(fresh, used));
    fuzzing::require(is_valid(fresh.content) || !is_valid(std::string(json)));
    fuzzing::require(is_valid(fresh.stopping_word));
    require_same_of_valid(json, fresh);
    fuzzing::require(is_valid(fresh.error_type) && is_valid(fresh.error_message));
    fuzzing::require(fresh.what == kind::token || fresh.tokens.empty());
    return 0;
}

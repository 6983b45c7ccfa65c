#pragma once

#include "wire/json/token_event.hpp"
#include "wire/json/wire_limits.hpp"

#include "tandem/error.hpp"

#include <string_view>

namespace tandem::wire {

/// Whether the data is the marker that ends the streams of other endpoints; the marker is not JSON.
inline bool is_done_marker(std::string_view data) noexcept {
    return data == "[DONE]";
}

/// Reads the data of one /completion event, or a plain error answer, into `out`, which may be a
/// used object. Bytes that are not UTF-8 become replacement characters, except in `content`, where
/// the next event may complete them. Fails with errc::bad_response on data that no llama-server
/// sends, and with errc::response_too_large above `max_event_bytes`; `out` is then unspecified.
error_code decode_token_event(std::string_view data, token_event& out);

}  // namespace tandem::wire

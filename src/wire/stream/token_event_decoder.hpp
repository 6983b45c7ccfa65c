#pragma once

#include "wire/json/bounds.hpp"
#include "wire/json/token_event.hpp"

#include "tandem/error.hpp"

#include <string_view>

namespace tandem::wire {

/// True of the data that ends the streams of other endpoints, and is not JSON.
inline bool is_done_marker(std::string_view data) noexcept {
    return data == "[DONE]";
}

/// Reads the data of one event of a /completion stream, or a plain error answer, into `out`, which
/// may be one that was used before. Bytes that are not UTF-8 become replacement characters, but
/// stay as they are in `content`, as the next event may make them whole. Fails with
/// errc::bad_response on anything that a llama-server does not send, and errc::response_too_large
/// over `max_event_bytes`; `out` then has no meaning.
error_code decode(std::string_view data, token_event& out);

}  // namespace tandem::wire

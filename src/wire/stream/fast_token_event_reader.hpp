#pragma once

#include "wire/json/token_event.hpp"

#include <string_view>

namespace tandem::wire {

/// Fast path for the data of a token event as current versions of llama-server write it: fixed keys
/// in a fixed order, no white space. Returns false for anything else, which is left to the general
/// decoder; `out` is then unspecified. Both readers give the same result, but the general decoder
/// is five times slower.
///
/// Precondition: `data` is valid UTF-8, and `out` is fresh.
bool read_token_event_fast(std::string_view data, token_event& out);

}  // namespace tandem::wire

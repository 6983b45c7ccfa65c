#pragma once

#include "wire/json/token_event.hpp"

#include <string_view>

namespace tandem::wire {

/// Reads the data of a partial event as llama-server writes it today: these keys in this order, no
/// white space. False for anything else, which is the general decoder's then; `out` has no meaning.
/// What it does read, the general decoder reads in the same way, five times as slowly.
///
/// Precondition: `data` is valid UTF-8, and `out` fresh.
bool read_partial_event(std::string_view data, token_event& out);

}  // namespace tandem::wire

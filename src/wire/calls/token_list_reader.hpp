#pragma once

#include "wire/json/token_event.hpp"

#include <string_view>
#include <vector>

namespace tandem::wire {

/// Fast path for the answer of /tokenize as llama-server writes it: {"tokens":[1,2]}, no white
/// space, at most max_answer_values ids. Returns false for anything else, which is left to the
/// general decoder; `out` is then unspecified. Both readers give the same result, but the general
/// decoder is many times slower: with a long prompt, it would delay the other replies of a loop.
bool read_token_list(std::string_view body, std::vector<token_id>& out);

}  // namespace tandem::wire

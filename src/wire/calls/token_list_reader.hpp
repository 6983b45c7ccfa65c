#pragma once

#include "wire/json/token_event.hpp"

#include <string_view>
#include <vector>

namespace tandem::wire {

/// Reads the answer of /tokenize as llama-server writes it: {"tokens":[1,2]}, no white space, at
/// most max_answer_values ids. False for anything else, which is the general decoder's then; `out`
/// has no meaning. What it does read, the general decoder reads in the same way, many times as
/// slowly, which the replies of a loop would wait for where a prompt is long.
bool read_token_list(std::string_view body, std::vector<token_id>& out);

}  // namespace tandem::wire

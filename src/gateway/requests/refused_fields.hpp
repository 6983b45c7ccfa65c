#pragma once

#include "gateway/json/field_reader.hpp"

namespace tandem::gateway {

/// Refuses the first field of OpenAI's API or llama-server's that would change the answer and is
/// not honored here. One that changes nothing, as `top_logprobs` 0, passes.
bool refuse_unhonoured(field_reader& fields, const nlohmann::ordered_json& body);

}  // namespace tandem::gateway

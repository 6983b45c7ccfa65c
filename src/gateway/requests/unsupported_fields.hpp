#pragma once

#include "gateway/json/field_reader.hpp"

namespace tandem::gateway {

/// Rejects the first field of OpenAI's API or llama-server's that changes the answer and is not
/// supported. Values without effect, such as `top_logprobs` 0, are allowed.
bool reject_unsupported_fields(field_reader& fields, const nlohmann::ordered_json& body);

}  // namespace tandem::gateway

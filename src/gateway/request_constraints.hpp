#pragma once

#include "gateway/chat_request.hpp"
#include "gateway/field_reader.hpp"

#include <nlohmann/json_fwd.hpp>

// For the sources of this room that read requests.
namespace tandem::gateway {

/// What the answer must be, and which functions it may call: `response_format`, `tools`,
/// `tool_choice` and `parallel_tool_calls`.
bool read_constraints(field_reader& fields, const nlohmann::ordered_json& body, chat_request& out);

}  // namespace tandem::gateway

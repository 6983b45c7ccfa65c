#pragma once

#include "text/json_object.hpp"

#include "tandem/server.hpp"

namespace tandem::command {

/// Returns a function's call as `{"id", "name", "arguments"}`.
json_object call_object(const tool_call& call);

}  // namespace tandem::command

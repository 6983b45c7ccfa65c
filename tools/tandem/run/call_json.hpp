#pragma once

#include "text/json_object.hpp"

#include "tandem/server.hpp"

#include <string>

namespace tandem::command {

/// Returns a function's call as `{"id", "name", "arguments"}`.
inline std::string call_json(const tool_call& c) {
    return json_object{}
        .field("id", c.id)
        .field("name", c.name)
        .field("arguments", c.arguments)
        .finish();
}

}  // namespace tandem::command

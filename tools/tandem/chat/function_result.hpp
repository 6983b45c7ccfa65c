#pragma once

#include "tandem/duration.hpp"
#include "tandem/server.hpp"

#include <string>

namespace tandem::command {

/// A function call that a reply made, and its result as the model reads it.
struct function_result {
    enum class outcome {
        returned,
        failed,
        interrupted,  ///< no result
    };
    tool_call call{};
    std::string content{};
    outcome how = outcome::interrupted;
    duration took{};
};

}  // namespace tandem::command

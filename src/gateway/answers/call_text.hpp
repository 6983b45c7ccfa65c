#pragma once

#include "tandem/server.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::gateway {

/// Why text that a model wrote is no call.
enum class call_fault {
    none,
    malformed,         ///< not written as calls are, or with arguments that are no object
    unknown_function,  ///< none of those that the request allows
    cut_off,           ///< the text ended within it
    too_long,          ///< over `max_call_bytes`
};

/// As a warning has it: "cannot be read".
std::string_view to_string(call_fault fault) noexcept;

/// Reads one call or a list of them, and appends them to `out`, or says why they are none; then
/// nothing is appended. A call is an object with `name`, or this in an object `function`, and with
/// `arguments` or `parameters`: an object, a string that holds one, or nothing, which is {}. The
/// arguments stay as they are written. The ids are left empty. Throws only std::bad_alloc.
call_fault read_calls(std::string_view text, std::span<const std::string> functions,
                      std::vector<tool_call>& out);

/// The same where the name stands before the arguments.
call_fault read_named_call(std::string_view name, std::string_view arguments,
                           std::span<const std::string> functions, std::vector<tool_call>& out);

}  // namespace tandem::gateway

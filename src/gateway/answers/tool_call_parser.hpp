#pragma once

#include "tandem/server.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::gateway {

/// Why text that looks like a tool call is not a valid one.
enum class call_fault {
    none,
    malformed,         ///< not in the format of a call, or the arguments are not an object
    unknown_function,  ///< not in the request's list of functions
    cut_off,           ///< the text ended within the call
    too_long,          ///< longer than `max_call_bytes`
};

/// A phrase for warnings, such as "cannot be read".
std::string_view to_string(call_fault fault) noexcept;

/// Parses one call or a list of calls and appends them to `out`; on a fault, appends nothing. A
/// call is an object with `name`, possibly nested in an object `function`, and with `arguments` or
/// `parameters`: an object, a string that contains one, or nothing, which means {}. The text of the
/// arguments is kept verbatim. The ids stay empty. Throws only std::bad_alloc.
call_fault read_calls(std::string_view text, std::span<const std::string> functions,
                      std::vector<tool_call>& out);

/// Same, for a call whose name precedes the arguments.
call_fault parse_named_call(std::string_view name, std::string_view arguments,
                            std::span<const std::string> functions, std::vector<tool_call>& out);

}  // namespace tandem::gateway

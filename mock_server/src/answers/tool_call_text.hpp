#pragma once

#include "answers/chat_messages.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::mock {

/// A reply's text and the calls in it.
struct parsed_text {
    std::string content{};
    std::vector<function_call> calls{};
};

/// Reads calls of `tools` as the tool template writes them. Like the server, drops white space at
/// the start, takes the arguments so far if a call has no end, and omits a call whose name is
/// incomplete. Returns nullopt if anything but a call follows a call.
std::optional<parsed_text> parse_tool_calls(std::string_view text,
                                            const std::vector<std::string>& tools);

/// The error for text that cannot be parsed.
inline constexpr const char* unparsable =
    "The model produced output that does not match the expected peg-native format";

/// A new random id for a call, as the server generates them.
std::string make_call_id();

}  // namespace tandem::mock

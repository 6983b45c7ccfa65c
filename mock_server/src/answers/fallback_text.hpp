#pragma once

#include <string>
#include <string_view>

namespace tandem::mock {

/// Beginning of every fallback reply. Marks the start of the reply for a continuation.
inline constexpr std::string_view fallback_opening = "Let me tell you about the ";

/// A reply of several sentences that depends only on `prompt`.
std::string make_fallback_reply(std::string_view prompt);

}  // namespace tandem::mock

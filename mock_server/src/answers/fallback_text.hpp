#pragma once

#include <string>
#include <string_view>

namespace tandem::mock {

/// Beginning of every fallback reply. If a prompt ends inside such a reply, the opening shows where
/// the reply starts.
inline constexpr std::string_view fallback_opening = "Let me tell you about the ";

/// A reply of several sentences that depends only on `prompt`.
std::string make_fallback_reply(std::string_view prompt);

}  // namespace tandem::mock

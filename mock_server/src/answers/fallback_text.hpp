#pragma once

#include <string>
#include <string_view>

namespace tandem::mock {

/// How every fall-back reply begins; the mark by which a continuation finds where it began.
inline constexpr std::string_view fallback_opening = "Let me tell you about the ";

/// A reply of several sentences that depends on `prompt` alone.
std::string fallback_reply(std::string_view prompt);

}  // namespace tandem::mock

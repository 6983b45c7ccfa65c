#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tandem {

/// Formats a count with its noun: "1 token", "2 tokens", "0 replies". `what` is the singular. The
/// plural adds "s"; a "y" after a consonant becomes "ies".
std::string format_count(std::int64_t n, std::string_view what);

}  // namespace tandem

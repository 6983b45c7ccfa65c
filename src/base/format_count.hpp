#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tandem {

/// "1 token", "2 tokens", "0 replies". `what` is the singular; its plural ends in "s", or in "ies"
/// if it ends in a consonant and "y".
std::string format_count(std::int64_t n, std::string_view what);

}  // namespace tandem

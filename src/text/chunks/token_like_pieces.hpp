#pragma once

#include <string_view>
#include <vector>

namespace tandem::text {

/// Splits `text` into pieces about as long as tokens: words and marks, each with the white space
/// before it. Long words become parts of 8 characters. The pieces are views that together make up
/// `text`, which must be valid UTF-8 and outlive them.
std::vector<std::string_view> token_like_pieces(std::string_view text);

}  // namespace tandem::text

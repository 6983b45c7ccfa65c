#pragma once

#include <string_view>
#include <vector>

namespace tandem::text {

/// `text` in pieces about as long as tokens are: words and marks, each with the white space before
/// it, long ones in parts of 8 characters. Joined, they are `text`, which must outlive them: valid
/// UTF-8.
std::vector<std::string_view> word_pieces(std::string_view text);

}  // namespace tandem::text

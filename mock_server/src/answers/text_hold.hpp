#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What the server holds back of the text it generates: characters that are not whole yet, and
// text that may turn out to be a stop string.
namespace tandem::mock {

/// Whether the last character of `text` lacks bytes. Bytes that no byte could make valid are whole.
bool ends_inside_character(std::string_view text);

/// Where the first complete stop string is in `text`, and which.
struct stop_match {
    std::size_t position;
    std::string word;
};
std::optional<stop_match> find_stop(std::string_view text, const std::vector<std::string>& stops);

/// Whether the end of `text` may be the start of a stop string.
bool may_become_stop(std::string_view text, const std::vector<std::string>& stops);

}  // namespace tandem::mock

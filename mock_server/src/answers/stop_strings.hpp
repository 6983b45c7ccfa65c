#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Text that the server holds back while generating: incomplete characters, and possible beginnings
// of stop strings.
namespace tandem::mock {

/// Whether the last character of `text` is incomplete. Invalid bytes are treated as complete.
bool ends_inside_character(std::string_view text);

/// The first complete stop string in generated text.
struct stop_match {
    std::size_t position;
    std::string word;
};
std::optional<stop_match> find_stop_string(std::string_view text,
                                           const std::vector<std::string>& stops);

/// Whether `text` ends with a prefix of a stop string.
bool may_become_stop(std::string_view text, const std::vector<std::string>& stops);

}  // namespace tandem::mock

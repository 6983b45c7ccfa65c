#include "gateway/json/raw_json.hpp"

#include "gateway/json/json_scanner.hpp"

#include <cstddef>

namespace tandem::gateway {
namespace {

/// Removes and returns the text before the next `,` or `:` outside of brackets and strings. Removes
/// that delimiter, too.
std::string_view take_part(std::string_view& rest) {
    json_scanner scanner;
    std::size_t end = 0;
    for (; end < rest.size(); ++end) {
        const bool is_outside = scanner.depth() == 0 && !scanner.in_string();
        if (is_outside && (rest[end] == ',' || rest[end] == ':')) break;
        scanner.step(rest[end]);
    }
    const auto part = trim_json_space(rest.substr(0, end));
    rest.remove_prefix(end < rest.size() ? end + 1 : end);
    return part;
}

/// The text between the outer brackets.
std::string_view inside(std::string_view text) noexcept {
    return trim_json_space(text.substr(1, text.size() - 2));
}

}  // namespace

std::vector<raw_member> split_members(std::string_view object) {
    std::vector<raw_member> members;
    for (auto rest = inside(object); !rest.empty();) {
        const auto key = take_part(rest);
        members.push_back({key.substr(1, key.size() - 2), take_part(rest)});
    }
    return members;
}

std::vector<std::string_view> split_items(std::string_view list) {
    std::vector<std::string_view> items;
    for (auto rest = inside(list); !rest.empty();) items.push_back(take_part(rest));
    return items;
}

std::string_view trim_json_space(std::string_view text) noexcept {
    constexpr std::string_view space = " \t\r\n";
    const auto first = text.find_first_not_of(space);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(space) - first + 1);
}

}  // namespace tandem::gateway

#include "flags/named_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tandem::command {
namespace {

constexpr std::string_view name_mark = "dns+";
constexpr std::string_view file_mark = "file:";
constexpr std::array<std::string_view, 5> beginnings{"http://", "https://", "dns+http://",
                                                     "dns+https://", file_mark};

named_server parse_server(std::string model, std::string_view text) {
    if (text.starts_with(file_mark))
        return {.model = std::move(model), .file = std::string(text.substr(file_mark.size()))};
    const bool is_name = text.starts_with(name_mark);
    if (is_name) text.remove_prefix(name_mark.size());
    return {.model = std::move(model), .url = std::string(text), .is_name = is_name};
}

}  // namespace

named_server parse_named_server(std::string_view text) {
    auto at = text.npos;
    for (const auto begin : beginnings) {
        if (text.starts_with(begin)) return parse_server({}, text);
        at = std::min(at, text.find(fmt::format("={}", begin)));
    }
    // A URL may itself contain "=".
    if (at == text.npos) return {.url = std::string(text)};
    return parse_server(std::string(text.substr(0, at)), text.substr(at + 1));
}

}  // namespace tandem::command

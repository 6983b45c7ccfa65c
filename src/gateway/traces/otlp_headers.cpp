#include "gateway/traces/otlp_headers.hpp"

#include "base/parse_number.hpp"
#include "gateway/access/header_text.hpp"

#include <algorithm>

namespace tandem::gateway {
namespace {

bool is_name(std::string_view text) {
    const auto is_token = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
               std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    };
    return !text.empty() && std::ranges::all_of(text, is_token);
}

bool is_value(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

// A percent sign without two digits stands for itself.
std::string decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        constexpr int hexadecimal = 16;
        const auto digits = text.substr(i + 1, 2);
        const auto byte = text[i] == '%' && digits.size() == 2
                              ? parse_number<unsigned char>(digits, hexadecimal)
                              : std::nullopt;
        out += byte ? static_cast<char>(*byte) : text[i];
        if (byte) i += digits.size();
    }
    return out;
}

}  // namespace

std::optional<std::vector<std::pair<std::string, std::string>>> parse_otlp_headers(
    std::string_view text) {
    std::vector<std::pair<std::string, std::string>> headers;
    while (!text.empty()) {
        const auto pair = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), pair.size() + 1));
        if (trim_blanks(pair).empty()) continue;
        const auto equals = pair.find('=');
        if (equals == pair.npos) return std::nullopt;
        const auto name = trim_blanks(pair.substr(0, equals));
        auto value = decoded(trim_blanks(pair.substr(equals + 1)));
        if (!is_name(name) || !is_value(value)) return std::nullopt;
        headers.emplace_back(name, std::move(value));
    }
    return headers;
}

}  // namespace tandem::gateway

#include "gateway/json/json_text.hpp"

#include "text/characters/utf8.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace tandem::gateway {

nlohmann::ordered_json text_or_null(const std::string& text) {
    return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

std::string truncate_text(std::string_view text, std::size_t most, std::string_view mark) {
    if (text.size() <= most) return std::string(text);
    return std::string(text.substr(0, text::floor_to_character(text, most))).append(mark);
}

double round_to_microseconds(double ms) noexcept {
    return std::round(ms * 1e3) / 1e3;
}

}  // namespace tandem::gateway

#include "wire/json/json_text.hpp"

#include <array>
#include <charconv>

namespace tandem::wire {

std::string compact_json(std::string_view text) {
    const auto value = nlohmann::ordered_json::parse(text, nullptr, false);
    return value.is_discarded() ? "null" : dump_json(value);
}

void append_members(std::string_view object, std::string& out) {
    const auto text = compact_json(object);
    if (text.size() <= 2 || text.front() != '{') return;
    out += ',';
    out.append(text, 1, text.size() - 2);
}

void append_string(std::string_view text, std::string& out) {
    out += dump_json(json(text));
}

void append_ids(std::span<const token_id> ids, std::string& out) {
    std::array<char, 12> digits;
    out.reserve(out.size() + 7 * ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (i > 0) out += ',';
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), ids[i]).ptr;
        out.append(digits.data(), end);
    }
}

}  // namespace tandem::wire

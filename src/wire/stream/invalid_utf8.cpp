#include "wire/stream/invalid_utf8.hpp"

#include "text/characters/utf8.hpp"

#include <algorithm>

namespace tandem::wire {
namespace {

// A byte is encoded as the character whose code is this value plus the byte. These characters are
// at the end of the last private-use plane, where no character has an agreed meaning.
constexpr char32_t first_encoded = 0x10FE00;

bool is_encoded_byte(char32_t c) noexcept {
    return c >= first_encoded && c <= first_encoded + 0xFF;
}

/// Whether `json` contains an escape sequence for a character of that plane. All such sequences
/// begin with `start`.
bool has_encoding_escape(std::string_view json) {
    constexpr std::string_view start = "\\udb";
    const auto same = [](char expected, char c) {
        return expected == c || (c >= 'A' && c <= 'Z' && expected == c - 'A' + 'a');
    };
    return std::search(json.begin(), json.end(), start.begin(), start.end(),
                       [&](char c, char expected) { return same(expected, c); }) != json.end();
}

void append_encoded(std::string_view bytes, std::string& out) {
    for (const char b : bytes)
        text::append_utf8(out, first_encoded + static_cast<unsigned char>(b));
}

}  // namespace

std::optional<std::string> escape_invalid_utf8(std::string_view json) {
    if (has_encoding_escape(json)) return std::nullopt;
    std::string out;
    out.reserve(json.size() + 64);
    while (!json.empty()) {
        const auto c = text::decode_first_character(json);
        const auto bytes = json.substr(0, c.bytes);
        // A character that looks like an encoded byte is encoded, too, so that decoding restores
        // it.
        if (text::find_invalid_utf8(bytes) == bytes.npos && !is_encoded_byte(c.character))
            out += bytes;
        else
            append_encoded(bytes, out);
        json.remove_prefix(c.bytes);
    }
    return out;
}

std::string unescape_invalid_utf8(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto c = text::decode_first_character(text);
        if (is_encoded_byte(c.character))
            out += static_cast<char>(static_cast<unsigned char>(c.character - first_encoded));
        else
            out += text.substr(0, c.bytes);
        text.remove_prefix(c.bytes);
    }
    return out;
}

}  // namespace tandem::wire

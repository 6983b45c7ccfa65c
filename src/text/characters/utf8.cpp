#include "text/characters/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tandem::text {
namespace {

constexpr char32_t replacement = 0xFFFD;

unsigned byte_at(std::string_view text, std::size_t i) noexcept {
    return static_cast<unsigned char>(text[i]);
}

/// A row of table 3-7 for a lead byte: the number of following bytes and the range of the first of
/// them.
struct lead_row {
    std::size_t following = 0;  ///< 0 = cannot start a multi-byte character
    unsigned low = 0x80;
    unsigned high = 0xBF;
};

constexpr lead_row row_of(unsigned lead) noexcept {
    if (lead < 0xC2 || lead > 0xF4) return {};
    if (lead < 0xE0) return {1};
    if (lead == 0xE0) return {2, 0xA0, 0xBF};
    if (lead == 0xED) return {2, 0x80, 0x9F};
    if (lead < 0xF0) return {2};
    if (lead == 0xF0) return {3, 0x90, 0xBF};
    if (lead == 0xF4) return {3, 0x80, 0x8F};
    return {3};
}

enum class form { whole, bad, cut_off };

struct sequence {
    form what = form::whole;
    std::size_t bytes = 1;
};

/// The sequence at `from`, which must be inside `text`. An invalid sequence includes only the bytes
/// that could start a character, or a single byte. A sequence that the end of the text cuts off
/// ends there.
sequence sequence_at(std::string_view text, std::size_t from) noexcept {
    const auto lead = byte_at(text, from);
    if (lead < 0x80) return {};
    const auto row = row_of(lead);
    if (row.following == 0) return {form::bad, 1};
    for (std::size_t i = 1; i <= row.following; ++i) {
        if (from + i == text.size()) return {form::cut_off, i};
        const auto byte = byte_at(text, from + i);
        const bool fits = i == 1 ? byte >= row.low && byte <= row.high : (byte & 0xC0) == 0x80;
        if (!fits) return {form::bad, i};
    }
    return {form::whole, row.following + 1};
}

char32_t value_of(std::string_view whole) noexcept {
    const auto lead = byte_at(whole, 0);
    if (whole.size() == 1) return lead;
    char32_t value = lead & (0x7Fu >> whole.size());
    for (std::size_t i = 1; i < whole.size(); ++i) value = value << 6 | (byte_at(whole, i) & 0x3F);
    return value;
}

bool are_eight_ascii(const char* bytes) noexcept {
    std::uint64_t eight;
    std::memcpy(&eight, bytes, 8);
    return (eight & 0x8080808080808080u) == 0;
}

/// Returns the end of the run of ASCII bytes that starts at `from`. Tests eight bytes at a time.
/// The last eight bytes of the text are tested together, even if some of them have been tested
/// before.
std::size_t skip_ascii(std::string_view text, std::size_t from) noexcept {
    while (from + 8 <= text.size() && are_eight_ascii(text.data() + from)) from += 8;
    const bool is_short = from + 8 > text.size() && text.size() >= 8;
    return is_short && are_eight_ascii(text.data() + text.size() - 8) ? text.size() : from;
}

/// Returns the end of the run of valid characters that starts at `from`.
std::size_t skip_whole(std::string_view text, std::size_t from) noexcept {
    while ((from = skip_ascii(text, from)) < text.size()) {
        const auto s = sequence_at(text, from);
        if (s.what != form::whole) break;
        from += s.bytes;
    }
    return from;
}

}  // namespace

decoded_character decode_first_character(std::string_view text) noexcept {
    if (text.empty()) return {};
    const auto s = sequence_at(text, 0);
    if (s.what != form::whole) return {replacement, s.bytes};
    return {value_of(text.substr(0, s.bytes)), s.bytes};
}

decoded_character decode_last_character(std::string_view text) noexcept {
    if (text.empty()) return {};
    for (std::size_t n = 1; n <= std::min<std::size_t>(4, text.size()); ++n) {
        const auto tail = text.substr(text.size() - n);
        const auto c = decode_first_character(tail);
        if (c.bytes == n && (c.character != replacement || tail == replacement_character)) return c;
    }
    return {replacement, 1};
}

std::size_t find_invalid_utf8(std::string_view text) noexcept {
    const auto end = skip_whole(text, 0);
    return end == text.size() ? std::string_view::npos : end;
}

std::size_t incomplete_suffix(std::string_view text) noexcept {
    for (std::size_t n = 1; n <= std::min<std::size_t>(3, text.size()); ++n) {
        const auto s = sequence_at(text, text.size() - n);
        if (s.what == form::cut_off && s.bytes == n) return n;
    }
    return 0;
}

void append_utf8(std::string& out, char32_t c) {
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xC0 | (c >> 6));
        out += static_cast<char>(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        out += static_cast<char>(0xE0 | (c >> 12));
        out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (c & 0x3F));
    } else {
        out += static_cast<char>(0xF0 | (c >> 18));
        out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
        out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (c & 0x3F));
    }
}

std::size_t count_characters(std::string_view text) noexcept {
    const auto starts_character = [](char b) {
        return (static_cast<unsigned char>(b) & 0xC0) != 0x80;
    };
    return static_cast<std::size_t>(std::ranges::count_if(text, starts_character));
}

std::size_t floor_to_character(std::string_view text, std::size_t offset) noexcept {
    if (offset >= text.size()) return text.size();
    while (offset > 0 && (byte_at(text, offset) & 0xC0) == 0x80) --offset;
    return offset;
}

}  // namespace tandem::text

#include "text/characters/emoji.hpp"

#include "text/characters/characters.hpp"
#include "text/characters/utf8.hpp"

#include <algorithm>
#include <iterator>

namespace tandem::text {
namespace {

struct range {
    char32_t first;
    char32_t last;
};

// The property Extended_Pictographic, from emoji-data.txt of Unicode 15. The list has been the same
// since Unicode 13, because the property also covers reserved code points.
// https://www.unicode.org/Public/15.0.0/ucd/emoji/emoji-data.txt
constexpr range pictographs[] = {
    {0xA9, 0xA9},       {0xAE, 0xAE},       {0x203C, 0x203C},   {0x2049, 0x2049},
    {0x2122, 0x2122},   {0x2139, 0x2139},   {0x2194, 0x2199},   {0x21A9, 0x21AA},
    {0x231A, 0x231B},   {0x2328, 0x2328},   {0x2388, 0x2388},   {0x23CF, 0x23CF},
    {0x23E9, 0x23F3},   {0x23F8, 0x23FA},   {0x24C2, 0x24C2},   {0x25AA, 0x25AB},
    {0x25B6, 0x25B6},   {0x25C0, 0x25C0},   {0x25FB, 0x25FE},   {0x2600, 0x2605},
    {0x2607, 0x2612},   {0x2614, 0x2685},   {0x2690, 0x2705},   {0x2708, 0x2712},
    {0x2714, 0x2714},   {0x2716, 0x2716},   {0x271D, 0x271D},   {0x2721, 0x2721},
    {0x2728, 0x2728},   {0x2733, 0x2734},   {0x2744, 0x2744},   {0x2747, 0x2747},
    {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},   {0x2757, 0x2757},
    {0x2763, 0x2767},   {0x2795, 0x2797},   {0x27A1, 0x27A1},   {0x27B0, 0x27B0},
    {0x27BF, 0x27BF},   {0x2934, 0x2935},   {0x2B05, 0x2B07},   {0x2B1B, 0x2B1C},
    {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x3030, 0x3030},   {0x303D, 0x303D},
    {0x3297, 0x3297},   {0x3299, 0x3299},   {0x1F000, 0x1F0FF}, {0x1F10D, 0x1F10F},
    {0x1F12F, 0x1F12F}, {0x1F16C, 0x1F171}, {0x1F17E, 0x1F17F}, {0x1F18E, 0x1F18E},
    {0x1F191, 0x1F19A}, {0x1F1AD, 0x1F1E5}, {0x1F201, 0x1F20F}, {0x1F21A, 0x1F21A},
    {0x1F22F, 0x1F22F}, {0x1F232, 0x1F23A}, {0x1F23C, 0x1F23F}, {0x1F249, 0x1F3FA},
    {0x1F400, 0x1F53D}, {0x1F546, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F774, 0x1F77F},
    {0x1F7D5, 0x1F7FF}, {0x1F80C, 0x1F80F}, {0x1F848, 0x1F84F}, {0x1F85A, 0x1F85F},
    {0x1F888, 0x1F88F}, {0x1F8AE, 0x1F8FF}, {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945},
    {0x1F947, 0x1FAFF}, {0x1FC00, 0x1FFFD}};

bool is_regional_indicator(char32_t c) noexcept {
    return c >= 0x1F1E6 && c <= 0x1F1FF;
}

bool asks_for_emoji(std::string_view text) noexcept {
    return text.starts_with("\xEF\xB8\x8F");
}

std::size_t variations(std::string_view text) noexcept {
    std::size_t bytes = 0;
    for (;;) {
        const auto c = decode_first_character(text.substr(bytes));
        if (!is_emoji_modifier(c.character)) return bytes;
        bytes += c.bytes;
    }
}

}  // namespace

bool is_pictograph(char32_t c) noexcept {
    const auto* r = std::ranges::lower_bound(pictographs, c, {}, &range::last);
    return r != std::end(pictographs) && c >= r->first;
}

bool is_text_style_pictograph(char32_t c) noexcept {
    return c < 0x2190 || c == 0x24C2 || (c >= 0x266D && c <= 0x266F) || (c >= 0x3000 && c < 0x3300);
}

bool is_emoji_modifier(char32_t c) noexcept {
    return c == 0xFE0E || c == 0xFE0F || c == 0x20E3 || (c >= 0x1F3FB && c <= 0x1F3FF) ||
           (c >= 0xE0020 && c <= 0xE007F);
}

bool is_emoji_part(char32_t c) noexcept {
    return (is_pictograph(c) && !is_text_style_pictograph(c)) || is_regional_indicator(c) ||
           is_emoji_modifier(c) || c == zero_width_joiner;
}

std::size_t measure_leading_emoji(std::string_view text) noexcept {
    const auto c = decode_first_character(text);
    if (is_regional_indicator(c.character)) return c.bytes;
    if (!is_pictograph(c.character)) return 0;
    if (is_text_style_pictograph(c.character) && !asks_for_emoji(text.substr(c.bytes))) return 0;
    auto bytes = c.bytes + variations(text.substr(c.bytes));
    if (const auto next = decode_first_character(text.substr(bytes));
        next.character == zero_width_joiner)
        bytes += next.bytes;
    return bytes;
}

}  // namespace tandem::text

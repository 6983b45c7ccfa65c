#include "text/characters/html_entities.hpp"

#include "base/parse_number.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

namespace tandem::text {
namespace {

constexpr std::size_t max_entity_length = 12;

struct name {
    std::string_view entity;
    char32_t character;
};

constexpr name names[] = {
    {"amp", '&'},      {"lt", '<'},        {"gt", '>'},       {"quot", '"'},     {"apos", '\''},
    {"nbsp", ' '},     {"ensp", ' '},      {"emsp", ' '},     {"thinsp", ' '},   {"ndash", 0x2013},
    {"mdash", 0x2014}, {"hellip", 0x2026}, {"lsquo", 0x2018}, {"rsquo", 0x2019}, {"ldquo", 0x201C},
    {"rdquo", 0x201D}, {"laquo", 0xAB},    {"raquo", 0xBB},   {"bull", 0x2022},  {"middot", 0xB7},
    {"copy", 0xA9},    {"reg", 0xAE},      {"trade", 0x2122}, {"deg", 0xB0},     {"plusmn", 0xB1},
    {"times", 0xD7},   {"divide", 0xF7},   {"minus", 0x2212}, {"frac12", 0xBD},  {"frac14", 0xBC},
    {"frac34", 0xBE},  {"sup2", 0xB2},     {"sup3", 0xB3},    {"micro", 0xB5},   {"euro", 0x20AC},
    {"pound", 0xA3},   {"yen", 0xA5},      {"cent", 0xA2},    {"sect", 0xA7},    {"para", 0xB6},
    {"rarr", 0x2192},  {"larr", 0x2190},   {"le", 0x2264},    {"ge", 0x2265},    {"ne", 0x2260},
    {"asymp", 0x2248}, {"infin", 0x221E},  {"auml", 0xE4},    {"ouml", 0xF6},    {"uuml", 0xFC},
    {"Auml", 0xC4},    {"Ouml", 0xD6},     {"Uuml", 0xDC},    {"szlig", 0xDF},   {"eacute", 0xE9},
    {"egrave", 0xE8},  {"agrave", 0xE0},   {"ccedil", 0xE7},  {"ntilde", 0xF1},
};

bool is_speakable(char32_t c) noexcept {
    const bool is_control = c < 0x20 || (c >= 0x7F && c < 0xA0);
    const bool is_surrogate = c >= 0xD800 && c < 0xE000;
    return c <= 0x10FFFF && !is_surrogate && (!is_control || is_white_space(c));
}

std::optional<char32_t> numbered(std::string_view digits) {
    const bool is_hex = digits.starts_with('x') || digits.starts_with('X');
    if (is_hex) digits.remove_prefix(1);
    const auto number = parse_number<std::uint32_t>(digits, is_hex ? 16 : 10);
    if (!number || !is_speakable(*number)) return std::nullopt;
    return *number;
}

std::optional<char32_t> meaning(std::string_view entity) {
    if (entity.starts_with('#')) return numbered(entity.substr(1));
    const auto* n = std::ranges::find(names, entity, &name::entity);
    if (n == std::end(names)) return std::nullopt;
    return n->character;
}

}  // namespace

html_entity parse_leading_entity(std::string_view text) {
    if (!text.starts_with('&')) return {};
    const auto end = text.substr(0, max_entity_length).find(';');
    if (end == std::string_view::npos) return {};
    const auto c = meaning(text.substr(1, end - 1));
    if (!c) return {};
    html_entity found{end + 1};
    append_utf8(found.text, is_white_space(*c) ? U' ' : *c);
    return found;
}

}  // namespace tandem::text

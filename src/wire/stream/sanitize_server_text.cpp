#include "wire/stream/sanitize_server_text.hpp"

#include "text/characters/utf8.hpp"

#include "tandem/utf8.hpp"

namespace tandem::wire {
namespace {

/// C0 and C1 controls, and the Unicode line separators.
bool is_control(char32_t c) noexcept {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
}

}  // namespace

std::string sanitize_server_text(std::string_view bytes) {
    // Truncates before and after the replacement, which is longer than the byte that it replaces.
    const auto valid = sanitized_utf8(bytes.substr(0, max_server_text_bytes));
    std::string out;
    for (std::string_view rest = valid; !rest.empty();) {
        const auto c = text::decode_first_character(rest);
        if (out.size() + c.bytes > max_server_text_bytes) break;
        out += is_control(c.character) ? " " : rest.substr(0, c.bytes);
        rest.remove_prefix(c.bytes);
    }
    return out;
}

}  // namespace tandem::wire

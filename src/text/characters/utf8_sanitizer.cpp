#include "text/characters/utf8.hpp"

#include "tandem/utf8.hpp"

#include <algorithm>

namespace tandem {
inline namespace v0 {
namespace {

/// Appends `bytes` except an incomplete character at their end, and returns that character.
std::string_view append_decided(std::string_view bytes, std::string& out) {
    for (;;) {
        const auto whole = std::min(text::find_invalid_utf8(bytes), bytes.size());
        out.append(bytes, 0, whole);
        bytes.remove_prefix(whole);
        if (text::incomplete_suffix(bytes) == bytes.size()) return bytes;
        out += text::replacement_character;
        bytes.remove_prefix(text::decode_first_character(bytes).bytes);
    }
}

}  // namespace

void utf8_sanitizer::append(std::string_view bytes, std::string& out) {
    // Adds one byte at a time until the partial character is complete or invalid.
    while (!partial_.empty() && !bytes.empty()) {
        const auto joined = partial_ + bytes.front();
        bytes.remove_prefix(1);
        partial_ = append_decided(joined, out);
    }
    if (!bytes.empty()) partial_ = append_decided(bytes, out);
}

void utf8_sanitizer::flush(std::string& out) {
    if (!partial_.empty()) out += text::replacement_character;
    partial_.clear();
}

std::string sanitized_utf8(std::string_view bytes) {
    std::string out;
    out.reserve(bytes.size());
    utf8_sanitizer sanitizer;
    sanitizer.append(bytes, out);
    sanitizer.flush(out);
    return out;
}

}  // namespace v0
}  // namespace tandem

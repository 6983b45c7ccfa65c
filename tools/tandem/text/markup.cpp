#include "text/markup.hpp"

#include "text/characters/utf8.hpp"

#include "tandem/utf8.hpp"

namespace tandem::command {
namespace {

// Returns the entity of the character; empty if it needs none.
std::string_view markup_of(char c) {
    switch (c) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        case '\'':
            return "&#39;";
        case '\t':
        case '\n':
            return {};
        case '\r':
            return "&#13;";
        default:
            return (static_cast<unsigned char>(c) < ' ' || c == '\x7F')
                       ? text::replacement_character
                       : "";
    }
}

// Returns true for U+FFFE and U+FFFF, which XML forbids.
bool is_forbidden(std::string_view rest) {
    return rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF");
}

}  // namespace

std::string escape_markup(std::string_view text) {
    const auto valid = sanitized_utf8(text);
    std::string out;
    out.reserve(valid.size());
    for (std::size_t i = 0; i < valid.size(); ++i) {
        if (is_forbidden(std::string_view(valid).substr(i))) {
            out += text::replacement_character;
            i += 2;
        } else if (const auto mark = markup_of(valid[i]); !mark.empty()) {
            out += mark;
        } else {
            out += valid[i];
        }
    }
    return out;
}

}  // namespace tandem::command

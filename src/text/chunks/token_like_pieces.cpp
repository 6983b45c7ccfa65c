#include "text/chunks/token_like_pieces.hpp"

#include "text/characters/characters.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"

namespace tandem::text {
namespace {

constexpr int max_piece_length = 8;  // characters

enum class piece_kind { space, word, mark };

piece_kind piece_kind_of(char32_t c) {
    if (is_white_space(c)) return piece_kind::space;
    return is_letter(c) || is_digit(c) ? piece_kind::word : piece_kind::mark;
}

}  // namespace

std::vector<std::string_view> token_like_pieces(std::string_view text) {
    std::vector<std::string_view> pieces;
    std::size_t begin = 0;
    int characters = 0;  // without the preceding white space
    auto last = piece_kind::space;
    for (std::size_t at = 0; at < text.size();) {
        const auto next = decode_first_character(text.substr(at));
        const auto now = piece_kind_of(next.character);
        if (characters == max_piece_length || (characters > 0 && now != last)) {
            pieces.push_back(text.substr(begin, at - begin));
            begin = at;
            characters = 0;
        }
        if (now != piece_kind::space) ++characters;
        last = now;
        at += next.bytes;
    }
    if (begin < text.size()) pieces.push_back(text.substr(begin));
    return pieces;
}

}  // namespace tandem::text

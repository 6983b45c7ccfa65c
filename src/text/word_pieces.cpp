#include "text/word_pieces.hpp"

#include "text/utf8.hpp"
#include "text/white_space.hpp"

namespace tandem::text {
namespace {

constexpr int longest_piece = 8;  // characters of a word

}  // namespace

std::vector<std::string_view> word_pieces(std::string_view text) {
    std::vector<std::string_view> pieces;
    std::size_t begin = 0;
    int letters = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto next = first_character(text.substr(at));
        const bool is_space = is_white_space(next.character);
        if (letters == longest_piece || (is_space && letters > 0)) {
            pieces.push_back(text.substr(begin, at - begin));
            begin = at;
            letters = 0;
        }
        if (!is_space) ++letters;
        at += next.bytes;
    }
    if (begin < text.size()) pieces.push_back(text.substr(begin));
    return pieces;
}

}  // namespace tandem::text

#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tandem::testing {

/// English text of a voice bot, with sentence ends that are hard to detect.
inline constexpr std::string_view prose =
    "The ferry to the island leaves at 9:15 a.m. from the north pier. Mr. Hale sells tickets "
    "there, "
    "but he only takes cash. A return costs $12.50 for adults and half of that for children! Would "
    "you like me to book two seats? The crossing takes about forty minutes, e.g. longer in a "
    "storm. "
    "On board you will find a small cafe, which serves tea, soup, etc. during the trip. \"Sit on "
    "the "
    "left side,\" my neighbour always says. \"You see the seals from there.\" Bring a warm coat "
    "(the "
    "wind is cold even in July), and something to read. When you arrive, walk up the hill past the "
    "old church. The path is steep; it is worth the effort. From the top you can see the whole "
    "coast, and on a clear day the lights of the town. Dr. Imre's clinic is the white house on the "
    "right. Please call ahead if you need a wheelchair... We will gladly help you. ";

using token_list = std::vector<std::string_view>;

/// Words with the preceding space, and single marks, as views into `text`.
inline token_list token_like_pieces(std::string_view text) {
    const auto is_word = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    token_list tokens;
    while (!text.empty()) {
        std::size_t n = text.front() == ' ' ? 1 : 0;
        while (n < text.size() && is_word(text[n])) ++n;
        if (n == 0) n = 1;
        tokens.push_back(text.substr(0, n));
        text.remove_prefix(n);
    }
    return tokens;
}

}  // namespace tandem::testing

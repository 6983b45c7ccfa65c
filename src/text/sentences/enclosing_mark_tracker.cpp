#include "text/sentences/enclosing_mark_tracker.hpp"

#include <algorithm>
#include <string_view>

namespace tandem::text {
namespace {

// Limits, in characters, after which an unbalanced mark is ignored; otherwise, such a mark would
// suppress all further sentence ends.
constexpr std::uint32_t max_enclosed = 400;
constexpr std::uint32_t max_quoted = 1000;

constexpr std::u32string_view latin_quotes = U"\"“”„«»‚";
constexpr std::u32string_view openers = U"([{（［｛「『【《〈〔«„‚“”";
constexpr std::u32string_view brackets_open = U"([{（［｛「『【《〈〔";
constexpr std::u32string_view brackets_close = U")]}）］｝」』】》〉〕";

bool is_latin_quote(char32_t c) noexcept {
    return latin_quotes.find(c) != latin_quotes.npos;
}

bool is_bracket(char32_t c) noexcept {
    return c == '(' || c == '[' || c == '{' || c == 0xFF08 || c == 0xFF3B;
}

}  // namespace

bool is_opening_mark(char32_t c) noexcept {
    return openers.find(c) != openers.npos;
}

void enclosing_mark_tracker::start_sentence() noexcept {
    const auto kept =
        std::remove_if(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(depth_),
                       [](const opening& o) { return !is_latin_quote(o.mark); });
    depth_ = static_cast<std::size_t>(kept - open_.begin());
    closed_ = {};
}

void enclosing_mark_tracker::advance() noexcept {
    for (std::size_t i = 0; i < depth_; ++i) ++open_[i].age;
}

void enclosing_mark_tracker::open(char32_t mark, bool is_first, bool after_colon) noexcept {
    if (depth_ < open_.size()) open_[depth_++] = {mark, 0, is_first, after_colon};
}

void enclosing_mark_tracker::close(char32_t opener) noexcept {
    for (auto i = depth_; i > 0; --i) {
        if (open_[i - 1].mark != opener) continue;
        closed_ = open_[i - 1];
        depth_ = i - 1;
        return;
    }
}

bool enclosing_mark_tracker::is_open(char32_t opener) const noexcept {
    for (std::size_t i = 0; i < depth_; ++i)
        if (open_[i].mark == opener) return true;
    return false;
}

char32_t enclosing_mark_tracker::opener_of(char32_t c) const noexcept {
    if (const auto at = brackets_close.find(c); at != brackets_close.npos) return brackets_open[at];
    switch (c) {
        case '"':
            return '"';
        case 0x201D:  // ”
            return is_open(0x201C) ? 0x201C : (is_open(0x201E) ? 0x201E : 0x201D);
        case 0x201C:  // “, which closes „
            return 0x201E;
        case 0xBB:  // »
            return 0xAB;
        case 0xAB:  // «, which closes »
            return 0xBB;
        default:
            return 0;
    }
}

bool enclosing_mark_tracker::closes(char32_t c, bool can_open) const noexcept {
    const auto opener = opener_of(c);
    if (!opener) return false;
    return brackets_close.find(c) != brackets_close.npos || is_open(opener) || !can_open;
}

bool enclosing_mark_tracker::is_quoted() const noexcept {
    return depth_ > 0 && open_[depth_ - 1].age <= max_quoted &&
           is_latin_quote(open_[depth_ - 1].mark);
}

bool enclosing_mark_tracker::is_enclosed() const noexcept {
    for (std::size_t i = 0; i < depth_; ++i)
        if (open_[i].age <= max_enclosed && !is_latin_quote(open_[i].mark)) return true;
    return false;
}

bool enclosing_mark_tracker::closed_opening_mark() const noexcept {
    return closed_.is_first && !is_bracket(closed_.mark);
}

}  // namespace tandem::text

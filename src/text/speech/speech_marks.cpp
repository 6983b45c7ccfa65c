#include "text/speech/speech_marks.hpp"

#include "text/characters/characters.hpp"

#include <algorithm>

namespace tandem::text {
namespace {

constexpr std::string_view openings = "[<(*";
constexpr std::string_view closings = "]>)*";
constexpr std::string_view separators = " =:/";

bool may_have_label(char opening) noexcept {
    return opening == '[' || opening == '<';
}

bool starts_with(std::string_view text, std::string_view tag) noexcept {
    return text.size() >= tag.size() && std::ranges::equal(text.substr(0, tag.size()), tag, {},
                                                           to_ascii_lowercase, to_ascii_lowercase);
}

/// The part of a mark from its tag on, without the opening character and, in a closing mark, the
/// slash.
std::string_view skip_opening(std::string_view mark) noexcept {
    const bool closes = may_have_label(mark.front()) && mark.substr(1).starts_with('/');
    return mark.substr(closes ? 2 : 1);
}

/// Whether nothing, or only a label, follows the tag at the start of `inside`.
bool ends_tag(std::string_view inside, std::size_t tag_bytes, char opening) noexcept {
    return inside.size() == tag_bytes ||
           (may_have_label(opening) &&
            separators.find(inside[tag_bytes]) != std::string_view::npos);
}

/// The longest tag with which the mark begins; empty if there is none.
std::string_view find_tag(std::string_view inside, char opening,
                          std::span<const std::string> tags) noexcept {
    std::string_view found;
    for (const auto& tag : tags)
        if (tag.size() > found.size() && starts_with(inside, tag) &&
            ends_tag(inside, tag.size(), opening))
            found = tag;
    return found;
}

std::string_view label_of(std::string_view rest) noexcept {
    const auto begin = rest.find_first_not_of(separators);
    if (begin == std::string_view::npos) return {};
    return rest.substr(begin, rest.find_last_not_of(" /") + 1 - begin);
}

}  // namespace

matched_mark match_speech_mark(std::string_view text, std::span<const std::string> tags) {
    const auto kind = text.empty() ? std::string_view::npos : openings.find(text.front());
    if (tags.empty() || kind == std::string_view::npos) return {};
    const char ends[] = {closings[kind], '\n'};
    const auto end = text.substr(0, max_speech_mark_bytes).find_first_of({ends, 2}, 1);
    if (end == std::string_view::npos || text[end] == '\n') return {};
    if (text.front() == '[' && text.substr(end + 1).starts_with('(')) return {};
    const auto inside = skip_opening(text.substr(0, end));
    const auto tag = find_tag(inside, text.front(), tags);
    if (tag.empty()) return {};
    const bool closes = inside.data() != text.data() + 1;
    return {end + 1, (closes ? "/" : "") + std::string(tag), label_of(inside.substr(tag.size()))};
}

std::size_t find_truncated_mark(std::string_view text, std::span<const std::string> tags) noexcept {
    if (tags.empty()) return text.size();
    const auto least = text.size() - std::min(text.size(), max_speech_mark_bytes);
    for (auto at = text.size(); at > least; --at) {
        const auto mark = text.substr(at - 1);
        const auto kind = openings.find(mark.front());
        if (mark.front() == '\n') break;
        if (kind == std::string_view::npos || mark.find(closings[kind], 1) != mark.npos) continue;
        const auto inside = skip_opening(mark);
        const auto may_be = [&](const std::string& tag) { return starts_with(tag, inside); };
        if (std::ranges::any_of(tags, may_be) || !find_tag(inside, mark.front(), tags).empty())
            return at - 1;
    }
    return text.size();
}

}  // namespace tandem::text

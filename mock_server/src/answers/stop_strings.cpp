#include "answers/stop_strings.hpp"

#include <algorithm>

namespace tandem::mock {
namespace {

std::size_t length_from_lead(unsigned char c) {
    if ((c & 0xE0) == 0xC0) return 2;
    if ((c & 0xF0) == 0xE0) return 3;
    if ((c & 0xF8) == 0xF0) return 4;
    return 1;
}

bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

bool ends_with_start_of(std::string_view text, std::string_view word) {
    for (std::size_t n = std::min(text.size(), word.size()); n > 0; --n) {
        if (text.ends_with(word.substr(0, n))) return true;
    }
    return false;
}

}  // namespace

bool ends_inside_character(std::string_view text) {
    for (std::size_t back = 1; back <= std::min<std::size_t>(text.size(), 4); ++back) {
        const char c = text[text.size() - back];
        if (!is_continuation(c)) return length_from_lead(static_cast<unsigned char>(c)) > back;
    }
    return false;
}

std::optional<stop_match> find_stop_string(std::string_view text,
                                           const std::vector<std::string>& stops) {
    std::optional<stop_match> first;
    for (const std::string& word : stops) {
        const std::size_t at = text.find(word);
        if (at == std::string_view::npos) continue;
        if (!first || at < first->position) first = {at, word};
    }
    return first;
}

bool may_become_stop(std::string_view text, const std::vector<std::string>& stops) {
    return std::any_of(stops.begin(), stops.end(),
                       [text](const std::string& word) { return ends_with_start_of(text, word); });
}

}  // namespace tandem::mock

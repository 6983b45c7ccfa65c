#include "text/chunks/tool_call_splitter.hpp"

#include <algorithm>

namespace tandem::text {
namespace {

/// The part of `opening` that models always write. They may omit the white space after a tag.
std::string_view find_required_part(std::string_view opening) noexcept {
    const auto part = opening.substr(0, opening.find_last_not_of(" \t\r\n") + 1);
    const bool has_tags = (part.starts_with('<') && part.ends_with('>')) ||
                          (part.starts_with('[') && part.ends_with(']'));
    return has_tags ? part : opening;
}

/// Whether the words of the reply begin in the prompt and do not end there.
bool ends_in_words(const reply_delimiters& marks, std::string_view prompt) noexcept {
    const auto opening = find_required_part(marks.opening);
    const auto at = prompt.rfind(opening);
    return at != std::string_view::npos &&
           prompt.find(marks.closing, at + opening.size()) == std::string_view::npos;
}

std::size_t count_common_bytes(std::string_view a, std::string_view b) noexcept {
    return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                    a.begin());
}

}  // namespace

std::string_view find_begun_opening(const reply_delimiters& marks,
                                    std::string_view prompt) noexcept {
    const std::string_view opening = marks.opening;
    auto bytes = std::min(opening.size(), prompt.size());
    while (bytes > 0 && !prompt.ends_with(opening.substr(0, bytes))) --bytes;
    return opening.substr(0, bytes);
}

void tool_call_splitter::start_after_prompt(std::string_view prompt) {
    if (withholds_all_) return;
    if (ends_in_words(words_, prompt)) place_ = place::in_words;
    const auto begun = find_begun_opening(words_, prompt);
    if (begun.size() == words_.opening.size()) return;
    withheld_ = begun;
    of_prompt_ = begun.size();
}

tool_call_splitter::visible tool_call_splitter::feed(std::string_view text, int tokens) {
    if (!has_mark() && words_.opening.empty()) return {text, tokens};
    tokens_ += tokens;
    if (withholds_all_ || has_call()) {
        if (!is_too_long()) call_ += text;
        return {};
    }
    withheld_ += text;
    shown_.clear();
    std::size_t read = 0;
    while (read < withheld_.size()) {
        const auto next = find_mark(read);
        show(read, next.at);
        read = next.at;
        if (!next.mark) break;
        if (next.mark == &mark_) {
            begin_call(read);
            return take_shown_text();
        }
        read += next.bytes;
        place_ = next.mark == &words_.closing ? place::after_words : place::in_words;
        if (shown_.empty()) tokens_ = tokens;  // earlier tokens belong to the mark
    }
    withheld_.erase(0, read);
    of_prompt_ -= std::min(of_prompt_, read);
    if (place_ == place::after_words && shown_.empty()) tokens_ = 0;
    return take_shown_text();
}

tool_call_splitter::visible tool_call_splitter::finish() {
    if (is_cut_mark()) withheld_.clear();
    return show_withheld_text();
}

tool_call_splitter::visible tool_call_splitter::show_all_as_text() {
    withheld_ += std::exchange(call_, {});  // one of the strings is empty
    return show_withheld_text();
}

/// Whether the withheld text at the end of the reply is not to be spoken: an opening mark with
/// nothing after it, or the beginning of the closing mark.
bool tool_call_splitter::is_cut_mark() const {
    if (!mark_.empty() && withheld_.starts_with(mark_)) return true;
    const auto opening = find_required_part(words_.opening);
    if (!opening.empty() && withheld_.starts_with(opening)) return true;
    return place_ == place::in_words && withheld_.size() > 2 &&
           words_.closing.starts_with(withheld_) &&
           (withheld_.front() == '<' || withheld_.front() == '[');
}

void tool_call_splitter::begin_call(std::size_t at) {
    call_ = std::exchange(withheld_, {}).substr(at);
    of_prompt_ = 0;
    place_ = place::before_words;
}

/// Makes these bytes of the withheld text visible, unless they come from the prompt or the words
/// have ended.
void tool_call_splitter::show(std::size_t from, std::size_t to) {
    from = std::clamp(of_prompt_, from, to);
    if (place_ != place::after_words) shown_.append(withheld_, from, to - from);
}

tool_call_splitter::visible tool_call_splitter::show_withheld_text() {
    shown_.clear();
    show(0, withheld_.size());
    withheld_.clear();
    of_prompt_ = 0;
    return take_shown_text();
}

/// All tokens read so far are returned with the first visible bytes.
tool_call_splitter::visible tool_call_splitter::take_shown_text() {
    if (shown_.empty()) return {};
    return {shown_, std::exchange(tokens_, 0)};
}

tool_call_splitter::found_mark tool_call_splitter::find_mark(std::size_t from) const {
    const std::string_view text = withheld_;
    for (std::size_t at = from; at < text.size(); ++at) {
        const auto rest = text.substr(at);
        found_mark here{at};
        bool may_become_one = false;
        for (const auto* mark : {&mark_, &words_.opening, &words_.closing}) {
            if (mark->empty() || mark->front() != rest.front()) continue;
            // A closing mark before the words counts only if it begins in the prompt.
            const bool can_close = place_ != place::before_words || at < of_prompt_;
            if (mark == &words_.closing && !can_close) continue;
            const auto bytes = count_common_bytes(*mark, rest);
            may_become_one |= bytes == rest.size() && bytes < mark->size();
            const auto required =
                mark == &words_.opening ? find_required_part(*mark).size() : mark->size();
            if (bytes >= required && bytes > here.bytes) here = {at, mark, bytes};
        }
        if (may_become_one) return {at};
        if (here.mark) return here;
    }
    return {text.size()};
}

}  // namespace tandem::text

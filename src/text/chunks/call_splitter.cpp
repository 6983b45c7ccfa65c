#include "text/chunks/call_splitter.hpp"

#include <algorithm>
#include <utility>

namespace tandem::text {

std::string_view begun_opening(const text_marks& marks, std::string_view prompt) noexcept {
    const std::string_view opening = marks.opening;
    auto bytes = std::min(opening.size(), prompt.size());
    while (bytes > 0 && !prompt.ends_with(opening.substr(0, bytes))) --bytes;
    return opening.substr(0, bytes);
}

void call_splitter::follow_prompt(std::string_view prompt) {
    const auto begun = begun_opening(words_, prompt);
    if (withholds_all_ || begun.size() == words_.opening.size()) return;
    withheld_ = begun;
    of_prompt_ = begun.size();
}

call_splitter::visible call_splitter::feed(std::string_view text, int tokens) {
    if (!has_mark() && words_.opening.empty()) return {text, tokens};
    if (withholds_all_) tokens_ += tokens;
    if (withholds_all_ || has_call()) {
        if (!is_too_long()) call_ += text;
        return {};
    }
    withheld_ += text;
    tokens_ += tokens;
    shown_.clear();
    while (!withheld_.empty()) {
        const auto next = find_mark();
        show(next.at);
        if (!next.mark) break;
        pass_mark(*next.mark);
        if (shown_.empty()) tokens_ = tokens;  // the earlier ones are the mark's
    }
    if (is_after_words_ && shown_.empty()) tokens_ = 0;
    return take_shown();
}

// A mark of a call that nothing follows is none.
call_splitter::visible call_splitter::finish() {
    shown_.clear();
    if (!mark_.empty() && withheld_.starts_with(mark_)) withheld_.clear();
    show(withheld_.size());
    return take_shown();
}

call_splitter::visible call_splitter::release() {
    withheld_ = std::exchange(call_, {});
    return finish();
}

void call_splitter::pass_mark(const std::string& mark) {
    if (&mark == &mark_)
        call_ = std::exchange(withheld_, {});
    else
        withheld_.erase(0, mark.size());
    is_after_words_ = &mark == &words_.closing;
    of_prompt_ = 0;
}

/// Makes the first bytes of the withheld text visible, unless they are not of the reply's words.
void call_splitter::show(std::size_t bytes) {
    const auto known = std::min(bytes, of_prompt_);
    if (!is_after_words_) shown_.append(withheld_, known, bytes - known);
    withheld_.erase(0, bytes);
    of_prompt_ -= known;
}

/// Their tokens count with the first of the visible bytes.
call_splitter::visible call_splitter::take_shown() {
    if (shown_.empty()) return {};
    return {shown_, std::exchange(tokens_, 0)};
}

call_splitter::place call_splitter::find_mark() const {
    const std::string_view text = withheld_;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto rest = text.substr(at);
        place here{at};
        bool may_become_one = false;
        for (const auto* mark : {&mark_, &words_.opening, &words_.closing}) {
            if (mark->empty() || mark->front() != rest.front()) continue;
            may_become_one |= rest.size() < mark->size() && mark->starts_with(rest);
            const bool is_longest = !here.mark || mark->size() > here.mark->size();
            if (is_longest && rest.starts_with(*mark)) here.mark = mark;
        }
        if (may_become_one) return {at};
        if (here.mark) return here;
    }
    return {text.size()};
}

}  // namespace tandem::text

#include "text/chunks/call_splitter.hpp"

#include <algorithm>
#include <utility>

namespace tandem::text {

call_splitter::visible call_splitter::feed(std::string_view text, int tokens) {
    if (!has_mark()) return {text, tokens};
    if (withholds_all_) tokens_ += tokens;
    if (withholds_all_ || has_call()) {
        if (!is_too_long()) call_ += text;
        return {};
    }
    withheld_ += text;
    tokens_ += tokens;
    const auto at = withheld_.find(mark_);
    if (at == std::string::npos) return show(withheld_.size() - count_undecided());
    call_ = withheld_.substr(at);
    const auto before = show(at);
    withheld_.clear();
    return before;
}

call_splitter::visible call_splitter::finish() {
    return show(withheld_.size());
}

call_splitter::visible call_splitter::release() {
    withheld_ = std::exchange(call_, {});
    return finish();
}

/// Makes the first bytes of the withheld text visible. Their tokens count with the first of them.
call_splitter::visible call_splitter::show(std::size_t bytes) {
    if (bytes == 0) return {};
    shown_ = withheld_.substr(0, bytes);
    withheld_.erase(0, bytes);
    return {shown_, std::exchange(tokens_, 0)};
}

/// Length of the longest end of the withheld text that may be the start of the mark.
std::size_t call_splitter::count_undecided() const noexcept {
    const std::string_view text = withheld_;
    auto bytes = std::min(text.size(), mark_.size() - 1);
    while (bytes > 0 && !std::string_view(mark_).starts_with(text.substr(text.size() - bytes)))
        --bytes;
    return bytes;
}

}  // namespace tandem::text

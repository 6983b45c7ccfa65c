#include "text/sentences/markdown_code_tracker.hpp"

#include "text/sentences/word.hpp"

namespace tandem::text {
namespace {

// In characters. Code without an end would suppress all further sentence ends.
constexpr std::uint32_t max_code = 400;

}  // namespace

// A backtick after a letter does not open code: it is an accent in Armenian, or closes code.
void markdown_code_tracker::read_backtick(bool after_word) noexcept {
    if (run_++ == 0) can_run_open_ = !after_word;
}

void markdown_code_tracker::read_line_break() noexcept {
    if (run_ > 0) end_run();
    if (fence_ == fence::at_end) fence_ = fence::open;
    code_age_.reset();
    is_line_start_ = true;
}

void markdown_code_tracker::read(char32_t c) noexcept {
    if (run_ > 0) end_run();
    if (!continues_word(c)) reject_fence_at_end();  // a fence may name a language
    if (starts_word(c)) is_line_start_ = false;
    if (code_age_ && ++*code_age_ > max_code) code_age_.reset();
}

void markdown_code_tracker::reject_fence_at_end() noexcept {
    if (fence_ == fence::at_end) fence_ = fence::none;
}

void markdown_code_tracker::end_run() noexcept {
    const bool is_fence = is_in_fence();
    const bool is_code = is_in_code();
    const bool may_be_fence = run_ >= 3 && is_code && !code_age_;
    fence_ = is_fence ? fence::open : may_be_fence ? fence::at_end : fence::none;
    code_age_ = is_code ? std::optional(0u) : std::nullopt;
    run_ = 0;
}

// Three backticks count as a fence at once, although more may follow. A fence is at the start or at
// the end of a line. At the end, it takes effect only with the line break.
bool markdown_code_tracker::is_in_fence() const noexcept {
    const bool is_open = fence_ == fence::open;
    return run_ >= 3 ? !is_open && is_line_start_ : is_open;
}

bool markdown_code_tracker::is_in_code() const noexcept {
    if (fence_ == fence::open || run_ == 0 || is_in_fence()) return code_age_.has_value();
    return !code_age_ && can_run_open_;
}

}  // namespace tandem::text

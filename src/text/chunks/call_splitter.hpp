#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace tandem::text {

/// Maximum bytes of tool calls in a reply, including their marks.
inline constexpr std::size_t max_call_bytes = std::size_t{1} << 20;

/// Separates the text of a reply from the tool calls that end it: everything from the opening mark
/// of a call on. Withholds text that may become the mark until it is decided. The visible text does
/// not depend on how the text is split into tokens.
class call_splitter {
 public:
    struct visible {
        /// Valid until the next call, and only as long as the fed text.
        std::string_view text{};
        /// 0 if the tokens of the text were returned earlier.
        int tokens = 0;
    };

    /// `mark` is the text with which a call begins; empty: the reply contains no calls.
    explicit call_splitter(std::string mark = {}) : mark_(std::move(mark)) {}
    /// Withholds all text.
    static call_splitter withholding_all() {
        call_splitter all;
        all.withholds_all_ = true;
        return all;
    }

    /// Reads text that `tokens` tokens produced together.
    visible feed(std::string_view text, int tokens);
    /// Ends the text: withheld text becomes visible.
    visible finish();
    /// Makes the text of the call visible, because it is not a call.
    visible release();

    const std::string& mark() const noexcept { return mark_; }
    bool has_mark() const noexcept { return withholds_all_ || !mark_.empty(); }
    bool has_call() const noexcept { return !call_.empty(); }
    /// The text from the mark on, at most `max_call_bytes` and one token.
    const std::string& call() const noexcept { return call_; }
    bool is_too_long() const noexcept { return call_.size() > max_call_bytes; }

 private:
    visible show(std::size_t bytes);
    std::size_t count_undecided() const noexcept;

    std::string mark_;
    bool withholds_all_ = false;
    std::string call_;
    std::string withheld_;
    int tokens_ = 0;  // of `withheld_`, or of all text
    std::string shown_;
};

}  // namespace tandem::text

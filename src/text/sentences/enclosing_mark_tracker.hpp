#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tandem::text {

/// Whether `c` can only open a quotation or a bracket. A `"` can also close one.
bool is_opening_mark(char32_t c) noexcept;

/// Tracks open quotes and brackets. An opening mark expires if its closing mark does not follow in
/// time.
class enclosing_mark_tracker {
 public:
    /// Forgets all open marks except Latin quotes, because a quotation may continue across
    /// sentences.
    void start_sentence() noexcept;
    void clear() noexcept { depth_ = 0; }
    /// A character was read.
    void advance() noexcept;
    void open(char32_t mark, bool is_first, bool after_colon) noexcept;
    void close(char32_t opener) noexcept;

    bool is_open(char32_t opener) const noexcept;
    /// The opening mark that `c` closes; 0 if `c` closes nothing.
    char32_t opener_of(char32_t c) const noexcept;
    /// Whether `c` closes something rather than opens it. `can_open`: whether a mark can open here.
    bool closes(char32_t c, bool can_open) const noexcept;

    /// Whether the position is inside a quotation of a script with spaces.
    bool is_quoted() const noexcept;
    /// Characters read since that quotation began.
    std::uint32_t quotation_age() const noexcept { return depth_ == 0 ? 0 : open_[depth_ - 1].age; }
    /// Whether the position is inside brackets or quotes of other scripts.
    bool is_enclosed() const noexcept;
    /// Whether the mark closed last was opened as the first character of the sentence.
    bool closed_opening_mark() const noexcept;
    bool closed_after_colon() const noexcept { return closed_.after_colon; }

 private:
    struct opening {
        char32_t mark = 0;
        std::uint32_t age = 0;
        bool is_first = false;
        bool after_colon = false;
    };

    std::array<opening, 16> open_{};
    std::size_t depth_ = 0;
    opening closed_;  // last in this sentence
};

}  // namespace tandem::text

#pragma once

#include <cstdint>
#include <optional>

namespace tandem::text {

/// Tracks code in Markdown, inline and fenced, by its backticks.
class markdown_code_tracker {
 public:
    /// Ends inline code, because it does not continue across sentences.
    void start_sentence() noexcept { code_age_.reset(); }
    void read_backtick(bool after_word) noexcept;
    void read_line_break() noexcept;
    /// Reads any other character.
    void read(char32_t c) noexcept;
    /// Reports that the last backticks read are not a fence.
    void reject_fence_at_end() noexcept;

    bool is_in_fence() const noexcept;
    /// Whether the position is in inline code, which expires if no backtick closes it in time.
    bool is_in_code() const noexcept;

 private:
    enum class fence { none, at_end, open };  ///< at_end: opens if the line ends here

    void end_run() noexcept;

    fence fence_ = fence::none;
    std::optional<std::uint32_t> code_age_;  // characters since inline code was opened
    bool is_line_start_ = true;              // the line has no letters or digits so far
    int run_ = 0;                            // backticks read in succession
    bool can_run_open_ = false;
};

}  // namespace tandem::text

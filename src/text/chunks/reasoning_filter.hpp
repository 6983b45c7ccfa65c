#pragma once

#include "tandem/config.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::text {

/// The text that certainly is visible, and the text inside reasoning. Both views are valid until
/// the next call on the filter, and only as long as the fed text is valid.
struct visible_text {
    std::string_view text{};
    /// Tokens whose first visible byte is in `text`; 0 if that byte was returned earlier.
    int tokens = 0;
    /// Excludes the marks and the white space after an opening mark. If the opening mark is a
    /// prefix of a longer one, the rest of the longer mark is also excluded.
    std::string_view reasoning{};
    /// Number of tokens without a visible byte: tokens of reasoning, of its marks, and of removed
    /// white space.
    int reasoning_tokens = 0;
};

/// The index of the pair whose opening mark ends `prompt`, optionally followed by white space. The
/// reply then starts inside reasoning.
std::optional<std::size_t> find_open_reasoning(std::string_view prompt,
                                               const std::vector<tag_pair>& tags);

/// Removes a model's reasoning: all text from an opening mark to its closing mark, the marks
/// themselves, and the white space after the closing mark if white space or nothing precedes the
/// reasoning. Also removes a closing mark without an opening one. Withholds text that may become a
/// mark until this is decided: always fewer bytes than the longest mark. The visible text does not
/// depend on how the text is split into tokens. If several pairs have the same opening mark, any of
/// their closing marks ends the reasoning. Marks do not nest.
class reasoning_filter {
 public:
    /// The marks in `tags` must not be empty; `inside` is an index into `tags`, as returned by
    /// find_open_reasoning().
    explicit reasoning_filter(std::vector<tag_pair> tags,
                              std::optional<std::size_t> inside = std::nullopt);

    /// Reads the text of `tokens` tokens. The text must be valid UTF-8 and may be empty.
    visible_text feed(std::string_view token_text, int tokens = 1);
    /// Ends the text: withheld text becomes visible or, inside reasoning, part of the reasoning.
    visible_text finish();
    /// Drops the withheld text. Call it if a limit ended the text, because this text may be a part
    /// of a mark.
    void drop_withheld() noexcept;

    bool is_inside() const noexcept { return inside_.has_value(); }
    /// The mark that closes the open reasoning. If several marks close it, returns the longest,
    /// which contains the most of what a model writes there. Precondition: is_inside().
    const std::string& closing_mark() const;
    /// Number of bytes that may still become a mark.
    std::size_t withheld() const noexcept { return withheld_.size(); }

 private:
    struct found {
        std::size_t bytes = 0;  // 0: no mark
        std::optional<std::size_t> opened;
        bool may_become_one = false;
    };
    struct part {
        std::size_t bytes = 0;
        int tokens = 0;
    };

    bool passes_whole(std::string_view token_text) const noexcept;
    found find_mark(std::string_view text) const;
    visible_text decide(bool is_last);
    void pass_mark(const found& mark);
    std::string_view rest_of_opening(std::string_view text) const;
    void emit_text(std::string_view text);
    void emit_reasoning(std::string_view text);
    void skip_space(std::string_view& text);
    void drop(std::size_t bytes);
    void count(std::size_t bytes);

    std::vector<tag_pair> tags_;
    /// The first bytes of all marks, also as a table indexed by byte.
    std::string starts_;
    std::array<bool, 256> starts_mark_{};
    std::optional<std::size_t> inside_;
    std::string withheld_;
    /// The parts of `withheld_` that each feed() added; `tokens` is 0 after the tokens were
    /// counted. A vector keeps its memory, while a deque allocates again every 32 parts.
    std::vector<part> parts_;
    bool after_space_ = true;
    bool skips_space_ = false;
    bool reasoning_begins_ = true;

    // State of the current call.
    std::string visible_;
    std::string hidden_;
    int tokens_ = 0;
    int hidden_tokens_ = 0;
};

}  // namespace tandem::text

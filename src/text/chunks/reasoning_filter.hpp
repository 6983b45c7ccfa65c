#pragma once

#include "tandem/config.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::text {

/// What of the text read is now known to be visible, and what lies in a reasoning. Both are valid
/// until the next call of the filter, and as long as the text that it was fed.
struct visible_text {
    std::string_view text{};
    /// Tokens whose first visible byte is in `text`; 0 where that was given out before.
    int tokens = 0;
    /// Without the marks, and the white space after an opening one. Where the opening mark starts a
    /// longer one, the rest of that is left out too.
    std::string_view reasoning{};
};

/// The pair whose opening mark `prompt` ends with, white space after it allowed: the reply starts
/// inside a reasoning then.
std::optional<std::size_t> open_reasoning(std::string_view prompt,
                                          const std::vector<tag_pair>& tags);

/// Leaves out what a model writes for itself: everything from an opening mark to its closing mark,
/// the marks, and white space after them where white space or nothing comes before. A closing mark
/// without an opening one is left out too. Text that may become a mark is withheld until that is
/// decided. What is visible is the same for every division of a text into tokens. Pairs with the
/// same opening mark close each other's reasoning; nothing nests. Keeps fewer bytes than the
/// longest mark has.
class reasoning_filter {
 public:
    /// `tags` have no empty text; `inside` is a place in `tags`, as open_reasoning() gives it.
    explicit reasoning_filter(std::vector<tag_pair> tags,
                              std::optional<std::size_t> inside = std::nullopt);

    /// Reads the text of one token, or of the `tokens` that made it together: valid UTF-8, may be
    /// empty.
    visible_text feed(std::string_view token_text, int tokens = 1);
    /// No text follows: what was withheld is visible, or reasoning where one is open.
    visible_text finish();

    /// Whether a reasoning is open.
    bool is_inside() const noexcept { return inside_.has_value(); }
    /// Bytes that wait for a decision.
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
    void give_out(std::string_view text);
    void take_reasoning(std::string_view text);
    void skip_space(std::string_view& text);
    void drop(std::size_t bytes);
    void count(std::size_t bytes);

    std::vector<tag_pair> tags_;
    /// The bytes that marks start with, also as a table by byte.
    std::string starts_;
    std::array<bool, 256> starts_mark_{};
    std::optional<std::size_t> inside_;
    std::string withheld_;
    /// The tokens of `withheld_`, with 0 for those that are counted. Few of them: a vector that
    /// keeps its memory, where a deque takes some again every 32 tokens.
    std::vector<part> parts_;
    bool after_space_ = true;
    bool skips_space_ = false;
    bool reasoning_begins_ = true;

    // Of the call under way.
    std::string visible_;
    std::string hidden_;
    int tokens_ = 0;
};

}  // namespace tandem::text

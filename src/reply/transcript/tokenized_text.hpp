#pragma once

#include "wire/json/token_event.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tandem::detail {

/// A prompt, and the token ids of its start as far as they are known.
struct prompt_with_ids {
    std::string text{};
    std::vector<wire::token_id> ids{};
    /// Number of bytes of `text` that `ids` cover; 0 without ids.
    std::size_t bytes_with_ids = 0;
};

/// The part of a conversation that a slot holds: text and its token ids. The next prompt starts
/// with all or part of this text, and is sent with the ids of that part, so that the prompt matches
/// the server's cache exactly. Pure.
class tokenized_text {
 public:
    /// A token boundary in the text: the first `ids` ids stand for the first `bytes` bytes.
    struct token_boundary {
        std::uint32_t bytes = 0;
        std::uint32_t ids = 0;
    };

    tokenized_text() = default;
    /// Boundaries must be in ascending order.
    tokenized_text(std::string text, std::vector<wire::token_id> ids,
                   std::vector<token_boundary> boundaries);

    /// Returns `prompt` with the ids of the part with which both it and this text begin.
    prompt_with_ids attach_known_ids(std::string prompt) const;
    const std::string& text() const noexcept { return text_; }
    int tokens() const noexcept { return static_cast<int>(ids_.size()); }

 private:
    std::string text_;
    std::vector<wire::token_id> ids_;
    std::vector<token_boundary> boundaries_;
};

}  // namespace tandem::detail

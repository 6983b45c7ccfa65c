#pragma once

#include "wire/json/token_event.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::detail {

/// A prompt, and the token ids of its beginning as far as they are known.
struct known_prompt {
    std::string text{};
    std::vector<wire::token_id> ids{};
    /// So many bytes of `text` are what `ids` say; 0 without ids.
    std::size_t known_bytes = 0;
};

/// What a slot holds of a conversation: a text, and its token ids. The next prompt begins with it,
/// or with the start of it, and is sent so that the server's cache matches to the token. Pure.
class known_text {
 public:
    /// Places in the text where a token ends: so many bytes are so many ids.
    struct anchor {
        std::uint32_t bytes = 0;
        std::uint32_t ids = 0;
    };

    known_text() = default;
    /// Anchors rise.
    known_text(std::string text, std::vector<wire::token_id> ids, std::vector<anchor> anchors);

    /// `prompt`, with the ids of what it has in common with the text.
    known_prompt begin(std::string prompt) const;
    const std::string& text() const noexcept { return text_; }
    int tokens() const noexcept { return static_cast<int>(ids_.size()); }

 private:
    std::string text_;
    std::vector<wire::token_id> ids_;
    std::vector<anchor> anchors_;
};

}  // namespace tandem::detail

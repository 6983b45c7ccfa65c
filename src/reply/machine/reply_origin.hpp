#pragma once

#include "reply/machine/continuation.hpp"
#include "reply/machine/known_text.hpp"
#include "text/chunks/reasoning_filter.hpp"

#include "tandem/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tandem::detail {

/// What a reply that has ended leaves to another one that continues from it.
struct reply_rest {
    continuation text{};
    text::reasoning_filter reasoning{std::vector<tag_pair>()};
    /// Visible text that was generated and not handed over. After it may come what `reasoning`
    /// still withholds.
    std::string unspoken{};
    /// Why no more text would have come; nothing if more would have.
    std::optional<finish_reason> generated{};
};

/// What a reply starts from: a prompt, or what an interrupted reply left.
struct reply_origin {
    known_prompt prompt{};
    std::optional<reply_rest> rest{};
    /// With `rest`: the visible text before its `unspoken`, which was spoken already.
    std::string spoken{};
};

}  // namespace tandem::detail

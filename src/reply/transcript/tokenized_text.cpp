#include "reply/transcript/tokenized_text.hpp"

#include <algorithm>
#include <utility>

namespace tandem::detail {

tokenized_text::tokenized_text(std::string text, std::vector<wire::token_id> ids,
                               std::vector<token_boundary> boundaries)
    : text_(std::move(text)), ids_(std::move(ids)), boundaries_(std::move(boundaries)) {}

prompt_with_ids tokenized_text::attach_known_ids(std::string prompt) const {
    const auto apart = std::mismatch(text_.begin(), text_.end(), prompt.begin(), prompt.end());
    const auto common = static_cast<std::size_t>(apart.first - text_.begin());
    const auto behind =
        std::find_if(boundaries_.begin(), boundaries_.end(),
                     [common](const token_boundary& a) { return a.bytes > common; });
    if (behind == boundaries_.begin()) return {.text = std::move(prompt)};
    const auto& last = *std::prev(behind);
    return {.text = std::move(prompt),
            .ids = {ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(last.ids)},
            .bytes_with_ids = last.bytes};
}

}  // namespace tandem::detail

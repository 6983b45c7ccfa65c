#include "wire/sendable.hpp"

#include "text/utf8.hpp"
#include "wire/bounds.hpp"

#include <fmt/format.h>

namespace tandem::wire {
namespace {

failure invalid(std::string words) {
    return {errc::invalid_prompt, {.client_message = std::move(words)}};
}

}  // namespace

std::optional<failure> refuse_text(std::string_view what, std::string_view text) {
    const auto bad = text::find_invalid(text);
    if (bad == std::string_view::npos) return std::nullopt;
    return invalid(fmt::format("{} is not valid UTF-8 from byte {} on", what, bad));
}

std::optional<failure> refuse_prompt(std::string_view prompt) {
    if (prompt.size() > max_prompt_bytes)
        return invalid(fmt::format("the prompt has {} bytes; at most {} can be sent", prompt.size(),
                                   max_prompt_bytes));
    return refuse_text("the prompt", prompt);
}

}  // namespace tandem::wire

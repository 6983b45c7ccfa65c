#pragma once

#include "base/failure.hpp"

#include "tandem/server.hpp"

#include <optional>
#include <span>
#include <string_view>

// What can be sent to a server. Each function gives nothing, or errc::invalid_prompt with the
// words.
namespace tandem::wire {

/// Text must be valid UTF-8: JSON would alter it silently. `what` names the text in the words.
std::optional<failure> refuse_text(std::string_view what, std::string_view text);

/// A prompt is bounded, too.
std::optional<failure> refuse_prompt(std::string_view prompt);

/// All texts of all messages.
std::optional<failure> refuse_messages(std::span<const chat_message> messages);

}  // namespace tandem::wire

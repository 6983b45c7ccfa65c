#pragma once

#include "base/failure.hpp"

#include "tandem/server.hpp"

#include <optional>
#include <span>
#include <string_view>

// What can be sent to a server. Each function gives nothing, or errc::invalid_prompt with the
// words; bad_request for a name.
namespace tandem::wire {

/// Text must be valid UTF-8: JSON would alter it silently. `what` names the text in the words.
std::optional<failure> refuse_text(std::string_view what, std::string_view text);

/// A prompt is bounded, too.
std::optional<failure> refuse_prompt(std::string_view prompt);

/// All texts of all messages.
std::optional<failure> refuse_messages(std::span<const chat_message> messages);

/// A slot's file is named by 1 to 128 of [A-Za-z0-9._-], not starting with '.': plain on any
/// system, and nothing that leads out of its folder. Servers refuse a few of these, too, such as
/// "a..b".
std::optional<failure> refuse_file_name(std::string_view name);

}  // namespace tandem::wire

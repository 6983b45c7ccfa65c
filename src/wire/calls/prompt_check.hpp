#pragma once

#include "base/failure.hpp"

#include "tandem/server.hpp"

#include <optional>
#include <span>
#include <string_view>

// Checks before sending to a server. Each function returns nullopt, or errc::invalid_prompt with a
// message; for a file name, errc::bad_request.
namespace tandem::wire {

/// Requires valid UTF-8, because JSON would silently alter other bytes. `what` names the text in
/// the message.
std::optional<failure> check_request_text(std::string_view what, std::string_view text);

/// Also checks the size of the prompt.
std::optional<failure> check_raw_prompt(std::string_view prompt);

std::optional<failure> check_messages(std::span<const chat_message> messages);

/// A slot file name must be 1 to 128 of [A-Za-z0-9._-] and must not start with '.', so that it is
/// portable and cannot leave its directory. Servers reject a few more names, such as "a..b".
std::optional<failure> check_slot_file_name(std::string_view name);

}  // namespace tandem::wire

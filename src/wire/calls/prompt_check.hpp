#pragma once

#include "base/failure.hpp"

#include "tandem/server.hpp"

#include <optional>
#include <span>
#include <string_view>

// Checks what is sent to a server. Each function returns nullopt, or the fault with a message. The
// code of a fault is errc::invalid_prompt, or errc::bad_request for a file name.
namespace tandem::wire {

/// Requires valid UTF-8, because JSON would silently alter other bytes. `what` names the text in
/// the message.
std::optional<failure> check_request_text(std::string_view what, std::string_view text);

/// Requires valid UTF-8, and rejects a prompt that is blank or too large.
std::optional<failure> check_raw_prompt(std::string_view prompt);

std::optional<failure> check_messages(std::span<const chat_message> messages);

/// A slot file name must have 1 to 128 characters of [A-Za-z0-9._-] and must not start with '.', so
/// that it is portable and cannot leave its directory. Servers reject a few more names, such as
/// "a..b".
std::optional<failure> check_slot_file_name(std::string_view name);

}  // namespace tandem::wire

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tandem::wire {

/// Maximum length of a server's text that is passed on in an error; longer text is truncated.
inline constexpr std::size_t max_server_text_bytes = 4096;

/// A server's text made safe to log: valid UTF-8 on one line, control characters replaced by
/// spaces.
std::string sanitize_server_text(std::string_view bytes);

}  // namespace tandem::wire

#pragma once

#include <string>
#include <string_view>

namespace tandem::command {

/// Escapes untrusted text for HTML and XML, as text or attribute value. Invalid UTF-8, and
/// characters that XML forbids, become U+FFFD.
std::string escape_markup(std::string_view text);

}  // namespace tandem::command

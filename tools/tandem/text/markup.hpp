#pragma once

#include <string>
#include <string_view>

namespace tandem::command {

/// `text` of any origin as text or attribute value of HTML and XML: valid UTF-8 without marks that
/// could end it, and without characters that XML forbids, for which U+FFFD stands.
std::string escaped_markup(std::string_view text);

}  // namespace tandem::command

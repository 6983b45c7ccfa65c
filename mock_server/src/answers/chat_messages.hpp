#pragma once

#include "answers/api_error.hpp"
#include "tandem_mock/dialogue.hpp"

#include <string>
#include <variant>
#include <vector>

namespace tandem::mock {

/// Parses the messages in a body of POST /apply-template, or returns llama-server's error. Tool
/// calls and the fields of their results are checked, but omitted, because the template does not
/// use them.
std::variant<std::vector<message>, api_error> parse_messages(const std::string& body);

}  // namespace tandem::mock

#pragma once

#include "answers/api_error.hpp"
#include "tandem_mock/dialogue.hpp"

#include <string>
#include <variant>
#include <vector>

namespace tandem::mock {

/// The messages in a body of POST /apply-template, or the error that llama-server answers. Tool
/// calls and what names their results are checked and left out: the template does not know them.
std::variant<std::vector<message>, api_error> parse_messages(const std::string& body);

}  // namespace tandem::mock

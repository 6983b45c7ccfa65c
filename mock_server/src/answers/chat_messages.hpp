#pragma once

#include "answers/api_error.hpp"
#include "tandem_mock/dialogue.hpp"

#include <string>
#include <variant>
#include <vector>

namespace tandem::mock {

struct function_call {
    std::string name{};
    /// JSON text.
    std::string arguments{};
};

struct chat_message : message {
    std::vector<function_call> calls{};
};

/// Parses the messages in a body of POST /apply-template, or returns llama-server's error. The
/// fields of tool results are checked but not returned, because no template uses them.
std::variant<std::vector<chat_message>, api_error> parse_messages(const std::string& body);

}  // namespace tandem::mock

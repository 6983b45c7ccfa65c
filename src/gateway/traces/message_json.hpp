#pragma once

#include "tandem/server.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tandem::gateway {

/// Messages in the JSON of OpenTelemetry's attributes `gen_ai.input.messages` and
/// `gen_ai.output.messages`; only the latter has a finish reason. Pure.
std::string encode_messages(const std::vector<chat_message>& messages,
                            std::string_view finish_reason);

}  // namespace tandem::gateway

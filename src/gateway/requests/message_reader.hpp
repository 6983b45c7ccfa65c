#pragma once

#include "gateway/json/field_reader.hpp"

#include "tandem/server.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Internal to the gateway's request parsers.
namespace tandem::gateway {

/// One message; `at` is its path.
bool read_message(field_reader& fields, const nlohmann::ordered_json& message,
                  const std::string& at, chat_message& out);

/// Rejects text without words, because the model would reply to it anyway. Chat requests may have
/// blank messages, as in OpenAI's API: some clients use a blank message to request a greeting.
bool check_words(field_reader& fields, std::string_view text, std::string path);

/// Reads the list `messages` of the request's body. The list must have 1 to `most` items.
bool read_messages(field_reader& fields, const nlohmann::ordered_json& body, std::size_t most,
                   std::vector<chat_message>& out);

}  // namespace tandem::gateway

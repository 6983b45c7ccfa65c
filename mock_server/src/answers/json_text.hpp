#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace tandem::mock {

/// Serializes JSON like the server: invalid UTF-8 becomes U+FFFD.
inline std::string json_text(const nlohmann::ordered_json& value) {
    return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tandem::mock

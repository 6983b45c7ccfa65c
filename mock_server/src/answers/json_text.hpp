#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace tandem::mock {

/// As the server writes JSON: bytes that are not UTF-8 become U+FFFD.
inline std::string json_text(const nlohmann::ordered_json& value) {
    return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tandem::mock

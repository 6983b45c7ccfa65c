#include "gateway/json_text.hpp"

#include <nlohmann/json.hpp>

namespace tandem::gateway {

std::string dumped(const nlohmann::ordered_json& value) {
    return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tandem::gateway

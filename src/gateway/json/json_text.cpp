#include "gateway/json/json_text.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace tandem::gateway {

std::string dump_json(const nlohmann::ordered_json& value) {
    return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

double round_ms(double ms) noexcept {
    return std::round(ms * 1e3) / 1e3;
}

}  // namespace tandem::gateway

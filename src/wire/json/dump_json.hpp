#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace tandem::wire {

/// `value` as text on one line. Replaces bytes that are not UTF-8 instead of throwing.
std::string dump_json(const nlohmann::json& value);
std::string dump_json(const nlohmann::ordered_json& value);

}  // namespace tandem::wire

#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

// For the sources of this room.
namespace tandem::gateway {

/// `value` as text. Bytes that are not UTF-8 are replaced, so that this does not throw.
std::string dumped(const nlohmann::ordered_json& value);

/// To the microsecond: more digits are noise.
double shown_ms(double ms) noexcept;

}  // namespace tandem::gateway

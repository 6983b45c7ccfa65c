#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

// Internal to the gateway.
namespace tandem::gateway {

/// Serializes `value`. Invalid UTF-8 is replaced, so this does not throw on it.
std::string dump_json(const nlohmann::ordered_json& value);

/// Rounded to microseconds; further digits are noise.
double round_ms(double ms) noexcept;

}  // namespace tandem::gateway

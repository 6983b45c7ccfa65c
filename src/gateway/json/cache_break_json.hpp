#pragma once

#include "tandem/result.hpp"

#include <nlohmann/json.hpp>

#include <optional>

namespace tandem::gateway {

/// Adds `cache_break` to the usage of a reply, if `b` is set. The text in `b` must be valid UTF-8.
inline void add_cache_break(nlohmann::ordered_json& usage, const std::optional<cache_break>& b) {
    if (!b) return;
    usage["cache_break"] = {
        {"cause", to_string(b->why)}, {"at", b->at}, {"of", b->of}, {"text", b->text}};
}

}  // namespace tandem::gateway

#pragma once

#include "gateway/json/api_error.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// Response bodies of GET /v1/models and /v1/models/{id}.
namespace tandem::gateway {

struct model_info {
    std::string id{};
    /// Unix time in seconds.
    std::int64_t created = 0;
    std::string owned_by = "tandem";
};

std::string model_list_body(std::span<const model_info> models);
std::string model_body(const model_info& model);

/// The model names for a message, at most 16; "none" if there are none.
std::string names_of(std::span<const model_info> models);

/// The 404 error for an unknown model, also if a completion request names it. The message lists the
/// available models.
api_error make_model_not_found_error(std::string_view id, std::span<const model_info> models);

}  // namespace tandem::gateway

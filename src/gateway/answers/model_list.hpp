#pragma once

#include "gateway/json/api_error.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// Bodies of answers to GET /v1/models and /v1/models/{id}.
namespace tandem::gateway {

struct model_info {
    std::string id{};
    /// Unix time, in seconds.
    std::int64_t created = 0;
    std::string owned_by = "tandem";
};

std::string model_list_body(std::span<const model_info> models);
std::string model_body(const model_info& model);

/// Their names, for a message: at most 16 of them, or "none".
std::string names_of(std::span<const model_info> models);

/// Status 404, as for a request that names such a model. The message says which there are.
api_error unknown_model(std::string_view id, std::span<const model_info> models);

}  // namespace tandem::gateway

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// Response bodies of GET /v1/models and /v1/models/{id}, from the names of the models.
namespace tandem::gateway {

// `created` is Unix time in seconds.
std::string model_list_body(std::span<const std::string> models, std::int64_t created);
std::string model_body(std::string_view model, std::int64_t created);

/// Lists at most 16 of the names for a message; "none" if there are no names.
std::string format_model_names(std::span<const std::string> models);

}  // namespace tandem::gateway

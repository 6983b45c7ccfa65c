#pragma once

#include "gateway/json/field_reader.hpp"
#include "gateway/requests/generation_request.hpp"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <string_view>

// For the sources of this room that read requests.
namespace tandem::gateway {

/// Why a field of wire::template_names() is refused with a raw prompt.
inline constexpr std::string_view no_template_words =
    "is for a chat template; a raw prompt has none";

/// Those members of the object, as they are given, as JSON of an object; empty if there are none.
/// What stands for nothing, as null or `logit_bias` {}, is left out.
std::string given_members(const nlohmann::ordered_json& object,
                          std::span<const std::string_view> names);

/// The fields that requests to both endpoints have; `out.options` must hold the defaults.
bool read_options(field_reader& fields, const nlohmann::ordered_json& body,
                  generation_request& out);

/// Whether the options that `body` led to can be used, now that all is read.
bool check_options(field_reader& fields, const nlohmann::ordered_json& body,
                   const generation_options& options);

}  // namespace tandem::gateway

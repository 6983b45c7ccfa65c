#pragma once

#include "gateway/json/field_reader.hpp"
#include "gateway/requests/generation_request.hpp"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <string_view>

// Internal to the gateway's request parsers.
namespace tandem::gateway {

/// Why fields of wire::template_field_names() are rejected with a raw prompt.
inline constexpr std::string_view no_template_message =
    "is for a chat template; a raw prompt has none";

/// The named members of `object`, unchanged, as a JSON object; empty if there are none. Values
/// without effect, such as null or `logit_bias` {}, are omitted.
std::string extract_members(const nlohmann::ordered_json& object,
                            std::span<const std::string_view> names);

/// A field that changes the answer and is not supported. Null and false have no effect; `harmless`
/// is another value without effect, as JSON.
struct unsupported_field {
    const char* name;
    const char* harmless = "null";
};
/// Rejects the first of these fields that has an effect.
bool reject_fields(field_reader& fields, const nlohmann::ordered_json& body,
                   std::span<const unsupported_field> unsupported);

/// Reads the fields common to both endpoints; `out.options` must contain the defaults.
bool read_options(field_reader& fields, const nlohmann::ordered_json& body,
                  generation_request& out);

/// Checks the complete options; call after all fields of `body` were read.
bool check_options(field_reader& fields, const nlohmann::ordered_json& body,
                   const generation_options& options);

}  // namespace tandem::gateway

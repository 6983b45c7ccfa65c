#pragma once

#include "gateway/adapters/adapter_set.hpp"
#include "gateway/json/field_reader.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

// Parses adapter fields of request bodies.
namespace tandem::gateway {

/// Reads the field `lora` of a request: a list of `{"id": "name", "scale": 0.5}`, in which the id
/// may also be the server's adapter number. `out` stays empty if the field is absent. Returns false
/// if the field is invalid.
bool read_lora(field_reader& fields, const nlohmann::ordered_json& body,
               std::optional<std::vector<requested_adapter>>& out);

/// The scale in the body of POST /admin/adapters/{id}/load: `{"scale": 0.5}`; 1 if the body is
/// empty or has no scale.
std::variant<double, api_error> read_load_request(std::string_view body, std::size_t max_bytes);

}  // namespace tandem::gateway

#pragma once

#include "gateway/adapters/adapter_set.hpp"
#include "gateway/json/field_reader.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

// For the sources of this room that read requests.
namespace tandem::gateway {

/// The field `lora` of a request: a list of `{"id": "name", "scale": 0.5}`, or with the server's
/// number as id. Nothing if it is absent. False if it is wrong.
bool read_lora(field_reader& fields, const nlohmann::ordered_json& body,
               std::optional<std::vector<asked_adapter>>& out);

/// The scale in the body of POST /admin/adapters/{id}/load: `{"scale": 0.5}`; 1 if the body is
/// empty or does not say.
std::variant<double, api_error> read_load_request(std::string_view body, std::size_t max_bytes);

}  // namespace tandem::gateway

#include "gateway/adapters/adapter_request.hpp"

#include "gateway/json/request_body.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

bool read_scale(field_reader& fields, const json& object, std::string_view at, double& out) {
    if (!fields.read(object, at, "scale", out)) return false;
    return (std::abs(out) <= max_adapter_scale) ||
           fields.fail_invalid(append_path(at, "scale"),
                               fmt::format("must be -{0} to {0}", max_adapter_scale));
}

bool read_id(field_reader& fields, const json& object, std::string_view at, std::string& out) {
    const auto* id = field_reader::find(object, "id");
    if (!id || !id->is_number()) return fields.read_required(object, at, "id", out);
    std::int64_t number = 0;
    if (!fields.read(object, at, "id", number)) return false;
    out = std::to_string(number);
    return true;
}

bool read_one(field_reader& fields, const json& item, const std::string& at,
              requested_adapter& out) {
    if (!item.is_object()) return fields.fail_wrong_type(item, at, "an object");
    return read_id(fields, item, at, out.name) && read_scale(fields, item, at, out.scale);
}

}  // namespace

bool read_lora(field_reader& fields, const json& body,
               std::optional<std::vector<requested_adapter>>& out) {
    const auto* list = field_reader::find(body, "lora");
    if (!list) return true;
    if (!list->is_array()) return fields.fail_wrong_type(*list, "lora", "a list");
    if (list->size() > max_adapters)
        return fields.fail_invalid(
            "lora", fmt::format("has {} adapters; the maximum is {}", list->size(), max_adapters));
    auto& wanted = out.emplace(list->size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (!read_one(fields, (*list)[i], append_path("lora", i), wanted[i])) return false;
    return true;
}

std::variant<double, api_error> read_load_request(std::string_view body, std::size_t max_bytes) {
    double scale = 1.0;
    if (body.empty()) return scale;
    json root;
    if (auto fault = parse_body(body, max_bytes, root)) return *std::move(fault);
    field_reader fields;
    if (!read_scale(fields, root, "", scale)) return std::move(fields).fault();
    return scale;
}

}  // namespace tandem::gateway

#include "gateway/json/request_body.hpp"

#include "wire/json/json_limits.hpp"
#include "wire/json/json_path.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

constexpr wire::json_limits body_limits{
    .depth = max_body_depth, .values = max_body_values, .keys = max_object_keys};

api_error body_refused(int status, std::string code, const std::string& why) {
    return make_error(status, std::move(code), "the request's body " + why);
}

}  // namespace

std::optional<api_error> refuse_duplicate_field(std::string_view text) {
    auto field = wire::find_duplicate_field(text);
    if (!field) return std::nullopt;
    auto message = *field + " appears twice; send it once";
    return make_error(400, "invalid_value", std::move(message), *std::move(field));
}

std::optional<api_error> parse_body(std::string_view body, std::size_t max_bytes, json& out) {
    if (body.size() > max_bytes)
        return body_refused(413, "body_too_large",
                            fmt::format("has {} bytes; the maximum is {}", body.size(), max_bytes));
    if (const auto fault = wire::describe_json_fault(body, body_limits); !fault.empty())
        return body_refused(400, "invalid_json", fault);
    if (auto refusal = refuse_duplicate_field(body)) return refusal;
    auto read = json::parse(body, nullptr, false);
    if (!read.is_object()) return body_refused(400, "invalid_json", "is not a JSON object");
    out = std::move(read);
    return std::nullopt;
}

}  // namespace tandem::gateway

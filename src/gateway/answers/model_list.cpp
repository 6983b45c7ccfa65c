#include "gateway/answers/model_list.hpp"

#include "gateway/json/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t max_named = 16;

json json_of(std::string_view model, std::int64_t created) {
    return {{"id", model}, {"object", "model"}, {"created", created}, {"owned_by", "tandem"}};
}

}  // namespace

std::string model_list_body(std::span<const std::string> models, std::int64_t created) {
    auto data = json::array();
    for (const auto& m : models) data.push_back(json_of(m, created));
    return dump_json(json{{"object", "list"}, {"data", std::move(data)}});
}

std::string model_body(std::string_view model, std::int64_t created) {
    return dump_json(json_of(model, created));
}

std::string list_names(std::span<const std::string> models) {
    if (models.empty()) return "none";
    const auto named = models.first(std::min(models.size(), max_named));
    return fmt::format("{}{}", fmt::join(named, ", "), models.size() > max_named ? ", ..." : "");
}

api_error make_model_not_found_error(std::string_view id, std::span<const std::string> models) {
    auto e = make_error(404, "model_not_found",
                        fmt::format("the model \"{}\" does not exist; available: {}",
                                    quote_text(id), list_names(models)),
                        "model");
    e.type = "invalid_request_error";
    return e;
}

}  // namespace tandem::gateway

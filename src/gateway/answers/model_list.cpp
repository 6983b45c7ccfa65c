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

std::string format_model_names(std::span<const std::string> models) {
    if (models.empty()) return "none";
    const auto named = models.first(std::min(models.size(), max_named));
    return fmt::format("{}{}", fmt::join(named, ", "), models.size() > max_named ? ", ..." : "");
}

}  // namespace tandem::gateway

#include "gateway/answers/model_list.hpp"

#include "gateway/json/field_reader.hpp"
#include "gateway/json/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t most_named = 16;

json json_of(const model_info& m) {
    return {{"id", m.id}, {"object", "model"}, {"created", m.created}, {"owned_by", m.owned_by}};
}

}  // namespace

std::string model_list_body(std::span<const model_info> models) {
    auto data = json::array();
    for (const auto& m : models) data.push_back(json_of(m));
    return dump_json({{"object", "list"}, {"data", std::move(data)}});
}

std::string model_body(const model_info& model) {
    return dump_json(json_of(model));
}

std::string names_of(std::span<const model_info> models) {
    std::string names;
    for (const auto& m : models.first(std::min(models.size(), most_named)))
        names += fmt::format("{}{}", names.empty() ? "" : ", ", m.id);
    if (models.size() > most_named) names += ", ...";
    return names.empty() ? "none" : names;
}

api_error make_model_not_found_error(std::string_view id, std::span<const model_info> models) {
    return {.status = 404,
            .type = "invalid_request_error",
            .code = "model_not_found",
            .message = fmt::format("the model \"{}\" does not exist; available: {}", quote_text(id),
                                   names_of(models)),
            .param = "model"};
}

}  // namespace tandem::gateway

#include "gateway/answers/model_choice.hpp"

#include "gateway/answers/model_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tandem::gateway {

std::vector<std::string> list_allowed_models(std::span<const std::string> names,
                                             const admitted_request& who) {
    std::vector<std::string> models;
    for (const auto& name : names)
        if (!check_model_allowed(who, name)) models.push_back(name);
    return models;
}

std::variant<std::size_t, api_error> choose_model(std::span<const std::string> names,
                                                  std::string_view asked,
                                                  const admitted_request& who) {
    auto found = std::ranges::find(names, asked);
    if (found == names.end() && names.size() == 1) found = names.begin();
    if (found == names.end()) {
        const auto models = list_allowed_models(names, who);
        if (!asked.empty()) return make_model_not_found_error(asked, models);
        return make_error(
            400, "missing_required_parameter",
            fmt::format("model is missing; available: {}", format_model_names(models)), "model");
    }
    if (auto error = check_model_allowed(who, *found)) return *std::move(error);
    return static_cast<std::size_t>(found - names.begin());
}

api_error make_model_not_found_error(std::string_view id, std::span<const std::string> models) {
    auto e = make_error(404, "model_not_found",
                        fmt::format("the model \"{}\" does not exist; available: {}",
                                    quote_text(id), format_model_names(models)),
                        "model");
    e.type = "invalid_request_error";
    return e;
}

std::vector<std::string> make_unserved_model_warnings(const api_keys& keys,
                                                      std::span<const std::string> names) {
    std::vector<std::string> lines;
    for (const auto& key : keys.all())
        for (const auto& model : key.models)
            if (std::ranges::find(names, model) == names.end())
                lines.push_back(fmt::format(
                    "the key \"{}\" may use the model \"{}\", which is not served; available: {}",
                    quote_text(key.name), quote_text(model), fmt::join(names, ", ")));
    return lines;
}

}  // namespace tandem::gateway

#include "serve/model_grouping.hpp"

#include <algorithm>

namespace tandem::command {
namespace {

gateway::model_servers& model_named(std::vector<gateway::model_servers>& models,
                                    const std::string& name) {
    const auto found = std::ranges::find(models, name, &gateway::model_servers::name);
    if (found != models.end()) return *found;
    models.push_back({.name = name});
    return models.back();
}

}  // namespace

std::string to_client_model_name(std::string_view server_name) {
    const auto slash = server_name.starts_with('/') ? server_name.rfind('/') : server_name.npos;
    return std::string(slash == server_name.npos ? server_name : server_name.substr(slash + 1));
}

model_grouping group_by_model(const std::vector<named_server>& servers) {
    model_grouping result;
    for (const auto& s : servers)
        if (!s.model.empty()) model_named(result.models, s.model);
    if (result.models.empty()) model_named(result.models, "default");
    const std::string only = result.models.size() == 1 ? result.models.front().name : "";
    for (const auto& s : servers) {
        const auto& model = s.model.empty() ? only : s.model;
        if (model.empty())
            result.left_out.push_back(s.url);
        else
            model_named(result.models, model).servers.push_back(s.url);
    }
    return result;
}

}  // namespace tandem::command

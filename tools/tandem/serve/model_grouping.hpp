#pragma once

#include "flags/named_server.hpp"
#include "gateway/sessions/gateway_options.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// The models and their servers, in order of first occurrence.
struct model_grouping {
    std::vector<gateway::model_servers> models{};
    /// Servers with an unknown model, if there are several models.
    std::vector<std::string> left_out{};
};

/// Returns the client-visible name of a model. Without --alias, a server reports the path of its
/// model file. The function then returns only the last component: the path is internal, and a name
/// with a leading slash cannot be part of a URL.
std::string to_client_model_name(std::string_view server_name);

/// Groups servers by the model name that was given or reported. If exactly one model is known,
/// servers without a name belong to this model. If no name is known, the model is called "default".
model_grouping group_by_model(const std::vector<named_server>& servers);

}  // namespace tandem::command

#pragma once

#include "flags/named_server.hpp"
#include "gateway/sessions/gateway_options.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// Which models there are, each with its servers, in the order in which they come first.
struct model_grouping {
    std::vector<gateway::model_servers> models{};
    /// Servers of which nobody knows which of several models they have.
    std::vector<std::string> left_out{};
};

/// The name that clients see of a model which a server calls so: of the path of a file, which a
/// server without --alias tells, the last part. The rest is its machine's own affair, and a name
/// that begins with a slash has no URL.
std::string client_name(std::string_view told);

/// Of servers with the names that were given or that they told: those that have the same model are
/// together. One without a name has the only model that there is; where nobody knows a name, it is
/// "default".
model_grouping group_by_model(const std::vector<named_server>& servers);

}  // namespace tandem::command

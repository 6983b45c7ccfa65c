#pragma once

#include "gateway/json/api_error.hpp"

#include "tandem/service_config.hpp"

#include <string>
#include <string_view>
#include <vector>

// Response bodies of /admin/servers.
namespace tandem::gateway {

struct model_server {
    std::string model;
    server_status status;
};

/// The id of a server: address or host, port and path of its URL, such as `10.0.0.5:8080`.
std::string make_server_id(std::string_view url);
/// Whether the id identifies the server, even in another spelling, such as `localhost:8080`.
bool is_server_id(std::string_view id, std::string_view url);

std::string server_list_body(const std::vector<model_server>& servers);
std::string server_body(const model_server& server);
api_error make_server_not_found_error(std::string_view id);

}  // namespace tandem::gateway

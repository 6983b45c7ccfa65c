#pragma once

#include "tandem/service.hpp"

#include <string>
#include <vector>

namespace tandem::command {

/// The URLs of the servers, of which there is one at least.
std::vector<std::string> server_urls(const service_config& settings);

/// Without user and password.
std::string shown_url(const std::string& url);
/// "http://a:1" to "a:1".
std::string without_scheme(const std::string& url);

}  // namespace tandem::command

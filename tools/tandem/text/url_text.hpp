#pragma once

#include "tandem/service.hpp"

#include <string>
#include <vector>

namespace tandem::command {

/// Returns the URLs of the servers, at least one.
std::vector<std::string> server_urls(const service_config& settings);

/// Returns the URL without user name and password.
std::string redact_url(const std::string& url);
/// Returns "a:1" for "http://a:1".
std::string without_scheme(const std::string& url);

}  // namespace tandem::command

#include "text/url_text.hpp"

#include "tandem/config_fields.hpp"

namespace tandem::command {

std::vector<std::string> server_urls(const service_config& settings) {
    return settings.servers.empty() ? std::vector{settings.client.server.url} : settings.servers;
}

std::string redact_url(const std::string& url) {
    return field_text(config{.server = {.url = url}}, "url");
}

std::string without_scheme(const std::string& url) {
    const auto end = url.find("://");
    return end == url.npos ? url : url.substr(end + 3);
}

}  // namespace tandem::command

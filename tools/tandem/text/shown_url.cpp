#include "text/shown_url.hpp"

#include "tandem/config_fields.hpp"

namespace tandem::command {

std::vector<std::string> server_urls(const service_config& settings) {
    return settings.servers.empty() ? std::vector{settings.server.url} : settings.servers;
}

std::string shown_url(const std::string& url) {
    return field_text(config{.url = url}, "url");
}

std::string without_scheme(const std::string& url) {
    const auto end = url.find("://");
    return end == url.npos ? url : url.substr(end + 3);
}

}  // namespace tandem::command

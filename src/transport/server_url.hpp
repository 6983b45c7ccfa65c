#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tandem::transport {

/// The URL of a server, taken apart.
struct server_url {
    /// As it is sent to curl, credentials included, without a slash at the end.
    std::string base;
    /// As people may see it: without credentials, with the port.
    std::string shown;
    std::string host;
    bool https = false;
};

/// A URL, or what is wrong with it.
struct parsed_url {
    server_url url;
    std::optional<std::string> fault;
};

parsed_url parse_server_url(std::string_view text);

/// `text` without user and password, for messages.
std::string without_credentials(const std::string& text);

}  // namespace tandem::transport

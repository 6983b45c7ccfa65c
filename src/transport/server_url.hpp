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
    /// Equal for all spellings of one server. `localhost`, 127.0.0.1 and [::1] count as one host.
    std::string identity;
    std::string host;
    bool https = false;
};

/// A URL, or what is wrong with it.
struct parsed_url {
    server_url url;
    std::optional<std::string> fault;
};

parsed_url parse_server_url(std::string_view text);

/// What is wrong with the URL of a server, in words without its credentials; nothing if it can be
/// used. It must have a scheme (http or https) and a host; port, credentials and path are optional.
std::optional<std::string> url_fault(std::string_view url);

/// A llama-server's own API is not below /v1, so a URL with that answers nothing. Precondition: the
/// URL has no fault.
std::optional<std::string> api_path_fault(std::string_view url);

/// Both name one server, whatever their spelling: case of the host, default port, slash at the end,
/// credentials, `localhost` for 127.0.0.1. False if one of them has a fault and they are not the
/// same text.
bool is_same_server(std::string_view a, std::string_view b);

/// What is wrong with an API key, which must consist of printable ASCII characters. Never shows the
/// key.
std::optional<std::string> api_key_fault(std::string_view api_key);

/// `text` without user and password, for messages.
std::string without_credentials(const std::string& text);

}  // namespace tandem::transport

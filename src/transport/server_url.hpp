#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tandem::transport {

/// The parts of a server's URL.
struct server_url {
    /// The URL passed to curl: with credentials, without a trailing slash and without the address.
    std::string base;
    /// The URL for display: without credentials, with the port.
    std::string shown;
    /// Equal for all spellings of a server's URL: `localhost` and [::1] become 127.0.0.1, and
    /// `address` replaces the host if it is given.
    std::string identity;
    std::string host;
    /// The IP address to connect to instead of looking up the host: the URL's fragment, as in
    /// `http://llama:8080#10.0.0.5`. TLS still checks the name of the host. An IPv6 address has
    /// brackets here. Empty if not given.
    std::string address;
    bool https = false;
};

/// A URL, or its fault.
struct parsed_url {
    server_url url;
    std::optional<std::string> fault;
};

parsed_url parse_server_url(std::string_view text);

/// The fault of a server's URL, described without its credentials; nullopt if the URL is valid. A
/// URL needs a scheme (http or https) and a host; port, credentials, path and address are optional.
std::optional<std::string> check_server_url(std::string_view url);

/// The fault of a URL whose path contains /v1: llama-server's own API is not below that path.
/// Precondition: the URL has no other fault.
std::optional<std::string> check_api_path(std::string_view url);

/// server_url::identity; a URL with a fault is its own identity. To compare many URLs, call it once
/// for each: is_same_server() parses both URLs in each call.
std::string server_identity(std::string_view url);

/// Whether both URLs name the same server, ignoring the case of the host, the default port, a
/// trailing slash, credentials, and `localhost` versus 127.0.0.1. False if one of the URLs has a
/// fault, unless both are the same string.
bool is_same_server(std::string_view a, std::string_view b);

/// The fault of a proxy, described without its credentials; nullopt if the proxy is a URL with a
/// scheme that libcurl knows, "none", or empty.
std::optional<std::string> check_proxy(std::string_view proxy);

/// The fault of an API key, which must consist of printable ASCII characters. The text never
/// contains the key.
std::optional<std::string> check_api_key(std::string_view api_key);

/// `text` without its user name and password, for messages.
std::string without_credentials(const std::string& text);

/// `url` with the IP address to connect to instead of looking up the host; see server_url::address.
std::string url_at_address(std::string_view url, std::string_view address);
/// `url` without the address.
std::string without_address(std::string_view url);

}  // namespace tandem::transport

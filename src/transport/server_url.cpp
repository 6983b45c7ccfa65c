#include "transport/server_url.hpp"

#include "transport/curl_handles.hpp"

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace tandem::transport {
namespace {

// Without CURLU_NON_SUPPORT_SCHEME, curl reports the same error for "localhost:8080" and "ftp://…".
constexpr unsigned parse_flags = CURLU_NON_SUPPORT_SCHEME;
constexpr std::array<std::string_view, 6> proxy_schemes{"http",    "https",  "socks4",
                                                        "socks4a", "socks5", "socks5h"};

url_handle parse(const std::string& text, CURLUcode& code) {
    url_handle handle(curl_url());
    if (!handle) throw std::bad_alloc();
    code = curl_url_set(handle.get(), CURLUPART_URL, text.c_str(), parse_flags);
    return handle;
}

std::string part(const url_handle& handle, CURLUPart what, unsigned flags = 0) {
    char* text = nullptr;
    if (curl_url_get(handle.get(), what, &text, flags) != CURLUE_OK) return {};
    return curl_string(text).get();
}

std::string without_final_slash(std::string text) {
    while (!text.empty() && text.back() == '/') text.pop_back();
    return text;
}

// For the scheme or the host: the other parts of a URL are case-sensitive.
std::string in_lower_case(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

std::string shown_url(const url_handle& handle) {
    curl_url_set(handle.get(), CURLUPART_HOST, in_lower_case(part(handle, CURLUPART_HOST)).c_str(),
                 0);
    curl_url_set(handle.get(), CURLUPART_USER, nullptr, 0);
    curl_url_set(handle.get(), CURLUPART_PASSWORD, nullptr, 0);
    curl_url_set(handle.get(), CURLUPART_OPTIONS, nullptr, 0);
    return without_final_slash(part(handle, CURLUPART_URL, CURLU_DEFAULT_PORT));
}

// Call shown_url() first: it removes the credentials from the URL in `handle`.
std::string identity_of(const url_handle& handle, const std::string& address) {
    const auto host = address.empty() ? part(handle, CURLUPART_HOST) : address;
    curl_url_set(handle.get(), CURLUPART_HOST, host.c_str(), 0);
    if (host == "localhost" || host == "[::1]")
        curl_url_set(handle.get(), CURLUPART_HOST, "127.0.0.1", 0);
    return without_final_slash(part(handle, CURLUPART_URL, CURLU_DEFAULT_PORT));
}

/// Returns the IP address in a fragment, or an empty string. Puts an IPv6 address in brackets.
std::string address_of(const std::string& fragment) {
    boost::system::error_code ec;
    const auto address = boost::asio::ip::make_address(fragment, ec);
    if (ec) return {};
    return address.is_v6() ? fmt::format("[{}]", fragment) : fragment;
}

bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

bool has_space_or_control(std::string_view text) {
    return std::ranges::any_of(text, [](char c) { return c == ' ' || is_control(c); });
}

std::string quoted(std::string_view text) {
    auto shown = without_credentials(std::string(text));
    std::ranges::replace_if(shown, is_control, '?');
    return fmt::format("\"{}\"", shown);
}

std::optional<std::string> find_fault(const url_handle& handle, std::string_view text) {
    const auto scheme = part(handle, CURLUPART_SCHEME);
    if (scheme != "http" && scheme != "https")
        return fmt::format("{} must begin with http:// or https://", quoted(text));
    if (part(handle, CURLUPART_HOST).empty())
        return fmt::format("{} has no host; write it as http://host:port", quoted(text));
    if (part(handle, CURLUPART_PORT) == "0")
        return fmt::format("{} has port 0; give the port the server listens on", quoted(text));
    const auto fragment = part(handle, CURLUPART_FRAGMENT);
    if (!part(handle, CURLUPART_QUERY).empty() ||
        (!fragment.empty() && address_of(fragment).empty()))
        return fmt::format("{} must end with the path; remove what follows \"?\" or \"#\"",
                           quoted(text));
    return {};
}

}  // namespace

parsed_url parse_server_url(std::string_view text) {
    if (text.empty()) return {{}, "the URL is empty; write it as http://host:port"};
    if (has_space_or_control(text))
        return {{},
                fmt::format("{} contains a space or a control character; write it as "
                            "http://host:port",
                            quoted(text))};
    const std::string url(text);
    CURLUcode code{};
    const auto handle = parse(url, code);
    if (code == CURLUE_BAD_PORT_NUMBER)
        return {{},
                fmt::format("{} has a port that is not a number from 1 to 65535", quoted(text))};
    if (code != CURLUE_OK)
        return {{}, fmt::format("{} is not a URL; write it as http://host:port", quoted(text))};
    if (auto fault = find_fault(handle, text)) return {{}, std::move(fault)};
    const auto fragment = part(handle, CURLUPART_FRAGMENT);
    server_url result{without_final_slash(without_address(url)),
                      {},
                      {},
                      part(handle, CURLUPART_HOST),
                      address_of(fragment),
                      part(handle, CURLUPART_SCHEME) == "https"};
    curl_url_set(handle.get(), CURLUPART_FRAGMENT, nullptr, 0);
    const auto shown = shown_url(handle);
    result.shown = fragment.empty() ? shown : url_at_address(shown, fragment);
    result.identity = identity_of(handle, result.address);
    return {std::move(result), {}};
}

// The first "://" follows the scheme only if no colon precedes it. Otherwise, it is in a password.
std::string without_credentials(const std::string& text) {
    const auto at = text.rfind('@');
    if (at == text.npos) return text;
    const auto scheme_end = text.find("://");
    const bool has_scheme = scheme_end < at && scheme_end == text.find(':');
    const auto scheme = has_scheme ? text.substr(0, scheme_end + 3) : std::string();
    return scheme + text.substr(at + 1);
}

std::string url_at_address(std::string_view url, std::string_view address) {
    return fmt::format("{}#{}", url, address);
}

std::string without_address(std::string_view url) {
    return std::string(url.substr(0, url.find('#')));
}

std::optional<std::string> check_server_url(std::string_view url) {
    return parse_server_url(url).fault;
}

std::optional<std::string> check_api_path(std::string_view url) {
    CURLUcode code{};
    const auto handle = parse(std::string(url), code);
    if ((part(handle, CURLUPART_PATH) + "/").find("/v1/") == std::string::npos) return {};
    return fmt::format("{} contains /v1, which is for OpenAI clients; remove /v1 and what follows",
                       quoted(url));
}

std::string server_identity(std::string_view url) {
    auto parsed = parse_server_url(url);
    return parsed.fault ? std::string(url) : std::move(parsed.url.identity);
}

bool is_same_server(std::string_view a, std::string_view b) {
    return a == b || server_identity(a) == server_identity(b);
}

std::optional<std::string> check_proxy(std::string_view proxy) {
    if (proxy.empty() || proxy == "none") return {};
    CURLUcode code{};
    const auto handle = parse(std::string(proxy), code);
    const bool is_known =
        std::ranges::find(proxy_schemes, part(handle, CURLUPART_SCHEME)) != proxy_schemes.end();
    if (is_known && !part(handle, CURLUPART_HOST).empty() && !has_space_or_control(proxy))
        return {};
    return fmt::format(
        "{} is not a proxy; write it as http://host:3128, socks5://host:1080, or none",
        quoted(proxy));
}

std::optional<std::string> check_api_key(std::string_view api_key) {
    const auto bad = std::ranges::find_if(api_key, [](char c) { return c < 0x20 || c > 0x7e; });
    if (bad == api_key.end()) return {};
    return fmt::format(
        "the API key's character {} of {} cannot be sent in a header; use only printable ASCII, "
        "and check for a copied line end",
        bad - api_key.begin() + 1, api_key.size());
}

}  // namespace tandem::transport

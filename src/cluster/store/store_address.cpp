#include "cluster/store/store_address.hpp"

#include "base/parse_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tandem::cluster {
namespace {

constexpr std::uint16_t store_port = 6379;
constexpr std::uint16_t sentinel_port = 26379;

struct scheme {
    std::string_view begin;
    bool has_tls;
    bool has_sentinels;
};
constexpr std::array schemes{
    scheme{"redis://", false, false},
    scheme{"rediss://", true, false},
    scheme{"redis+sentinel://", false, true},
    scheme{"rediss+sentinel://", true, true},
};
constexpr std::string_view unix_scheme = "unix://";
constexpr std::size_t max_path_bytes = 107;  // sockaddr_un also needs a terminating null
constexpr std::size_t max_quoted_bytes = 80;

parsed_store_address fault(std::string text) {
    return {.fault = std::move(text)};
}

std::string_view take_until(std::string_view& text, char end) {
    const auto place = std::min(text.find(end), text.size());
    const auto part = text.substr(0, place);
    text.remove_prefix(std::min(place + 1, text.size()));
    return part;
}

// Reads "host" or "host:port"; an IPv6 address is in brackets.
std::optional<store_address::host_and_port> parse_host(std::string_view text,
                                                       std::uint16_t default_port) {
    const bool is_bracketed = text.starts_with('[');
    const auto end = is_bracketed ? text.find(']') : text.find(':');
    if (is_bracketed && end == std::string_view::npos) return std::nullopt;
    const auto host = is_bracketed ? text.substr(1, end - 1) : text.substr(0, end);
    auto rest = text.substr(std::min(is_bracketed ? end + 1 : end, text.size()));
    if (host.empty() || host.find_first_of(" \t\r\n") != std::string_view::npos)
        return std::nullopt;
    if (rest.empty()) return store_address::host_and_port{std::string(host), default_port};
    if (!rest.starts_with(':')) return std::nullopt;
    const auto port = parse_number<std::uint16_t>(rest.substr(1));
    if (!port || *port == 0) return std::nullopt;
    return store_address::host_and_port{std::string(host), *port};
}

std::optional<std::string> read_user(std::string_view& rest, store_address& a) {
    const auto at = rest.rfind('@');
    if (at == std::string_view::npos) return std::nullopt;
    auto user = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    if (user.find(':') != std::string_view::npos)
        return "the address contains a password: set TANDEM_CLUSTER_PASSWORD instead";
    a.user = user;
    return std::nullopt;
}

std::optional<std::string> read_hosts(std::string_view hosts, store_address& a) {
    const bool has_sentinels = !a.primary.empty();
    while (!hosts.empty()) {
        const auto part = take_until(hosts, ',');
        const auto host = parse_host(part, has_sentinels ? sentinel_port : store_port);
        if (!host) return fmt::format("\"{}\" is not a host or host:port", part);
        a.hosts.push_back(*host);
    }
    if (a.hosts.empty()) return "the address has no host";
    if (a.hosts.size() > 1 && !has_sentinels)
        return "only the address of sentinels has several hosts";
    return std::nullopt;
}

std::optional<std::string> read_database(std::string_view text, store_address& a) {
    if (text.empty()) return std::nullopt;
    const auto number = parse_number<int>(text);
    if (!number || *number < 0) return fmt::format("\"{}\" is not a database number", text);
    a.database = *number;
    return std::nullopt;
}

parsed_store_address parse_rest(std::string_view rest, const scheme& s) {
    parsed_store_address p{.address = {.uses_tls = s.has_tls}};
    if ((p.fault = read_user(rest, p.address))) return p;
    const auto hosts = take_until(rest, '/');
    if (s.has_sentinels) {
        p.address.primary = take_until(rest, '/');
        if (p.address.primary.empty())
            return fault(
                "the address of sentinels needs the name of the primary: "
                "redis+sentinel://host:port/name");
    }
    p.fault = read_hosts(hosts, p.address);
    if (!p.fault) p.fault = read_database(rest, p.address);
    return p;
}

std::string quote_without_password(std::string_view text) {
    if (text.find('@') != text.npos) return "the address";
    return fmt::format("\"{}\"", text.substr(0, max_quoted_bytes));
}

}  // namespace

parsed_store_address parse_store_address(std::string_view text) {
    if (text.starts_with(unix_scheme)) {
        const auto path = text.substr(unix_scheme.size());
        if (!path.starts_with('/')) return fault("the path of a Unix socket begins with \"/\"");
        if (path.size() > max_path_bytes)
            return fault(
                fmt::format("the path of a Unix socket is longer than {} bytes", max_path_bytes));
        return {.address = {.path = std::string(path)}};
    }
    const auto* const s = std::ranges::find_if(
        schemes, [text](const scheme& known) { return text.starts_with(known.begin); });
    if (s == schemes.end())
        return fault(
            fmt::format("{} begins with none of redis://, rediss://, redis+sentinel://, "
                        "rediss+sentinel:// and unix://",
                        quote_without_password(text)));
    return parse_rest(text.substr(s->begin.size()), *s);
}

std::string to_string(const store_address& a) {
    if (!a.path.empty()) return fmt::format("unix://{}", a.path);
    std::string hosts;
    for (const auto& [host, port] : a.hosts)
        hosts += fmt::format("{}{}:{}", hosts.empty() ? "" : ",",
                             host.find(':') == std::string::npos ? host : fmt::format("[{}]", host),
                             port);
    return fmt::format("redis{}{}://{}{}", a.uses_tls ? "s" : "",
                       a.primary.empty() ? "" : "+sentinel", hosts,
                       a.primary.empty() ? "" : fmt::format("/{}", a.primary));
}

}  // namespace tandem::cluster

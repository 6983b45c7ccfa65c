#include "gateway/access/routes.hpp"

#include "base/parse_number.hpp"
#include "text/characters/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace tandem::gateway {
namespace {

// Open routes reveal nothing about the deployment.
constexpr std::array table{
    route{"GET", "/livez", endpoint::live, right::open},
    route{"GET", "/health", endpoint::live, right::open},
    route{"GET", "/readyz", endpoint::ready, right::open},
    route{"GET", "/ready", endpoint::ready, right::open},
    route{"GET", "/", endpoint::page, right::open},
    route{"GET", "/assets/{name}", endpoint::asset, right::open},
    route{"GET", "/metrics", endpoint::metrics, right::metrics},
    route{"GET", "/v1/models", endpoint::list_models, right::read},
    route{"GET", "/v1/models/{+id}", endpoint::show_model, right::read},
    route{"POST", "/v1/chat/completions", endpoint::chat_completions, right::generate},
    route{"POST", "/v1/completions", endpoint::completions, right::generate},
    route{"POST", "/v1/responses", endpoint::responses, right::generate},
    route{"GET", "/v1/responses", endpoint::response_socket, right::generate},
    route{"GET", "/v1/voice", endpoint::voice, right::generate},
    route{"POST", "/admin/adapters/{id}/load", endpoint::load_adapter, right::admin},
    route{"GET", "/admin/jobs/{id}", endpoint::show_job, right::admin},
    route{"GET", "/admin/adapters", endpoint::list_adapters, right::admin},
    route{"GET", "/admin/servers", endpoint::list_servers, right::admin},
    route{"POST", "/admin/servers/{+id}/drain", endpoint::drain_server, right::admin},
    route{"POST", "/admin/servers/{+id}/undrain", endpoint::undrain_server, right::admin},
};

/// The path without the query, and without the scheme and host that proxies may send (RFC 9112,
/// section 3.2.2).
std::string_view path_of_target(std::string_view target) {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!target.starts_with(scheme)) continue;
        target.remove_prefix(std::min(target.find('/', scheme.size()), target.size()));
        if (target.empty()) target = "/";
    }
    return target.substr(0, target.find('?'));
}

/// Returns nullopt if a `%` is not followed by two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view raw) {
    std::string out;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] != '%') {
            out += raw[i];
            continue;
        }
        const auto digits = raw.substr(i + 1, 2);
        const auto byte = parse_number<unsigned char>(digits, 16);
        if (digits.size() != 2 || !byte) return std::nullopt;
        out += static_cast<char>(*byte);
        i += 2;
    }
    return out;
}

bool is_plain(char c) noexcept {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte != 0x7F && c != '\\';
}

bool has_bad_segment(std::string_view path) {
    while (true) {
        const auto segment = path.substr(0, path.find('/'));
        if (segment.empty() || segment == "." || segment == "..") return true;
        if (segment.size() == path.size()) return false;
        path.remove_prefix(segment.size() + 1);
    }
}

bool is_parameter(const std::string& text, bool takes_slashes) {
    return text.size() <= max_parameter_bytes && std::ranges::all_of(text, is_plain) &&
           text::find_invalid_utf8(text) == std::string_view::npos && !has_bad_segment(text) &&
           (takes_slashes || text.find('/') == std::string::npos);
}

/// Returns the path's parameter (empty if the pattern has none), or nullopt if the path does not
/// match.
std::optional<std::string> match(std::string_view pattern, std::string_view path) {
    const auto open = pattern.find('{');
    if (open == std::string_view::npos)
        return path == pattern ? std::optional<std::string>("") : std::nullopt;
    const auto before = pattern.substr(0, open);
    const auto after = pattern.substr(pattern.find('}') + 1);
    if (path.size() < before.size() + after.size() || !path.starts_with(before) ||
        !path.ends_with(after))
        return std::nullopt;
    path.remove_prefix(before.size());
    path.remove_suffix(after.size());
    auto parameter = percent_decoded(path);
    if (parameter && !is_parameter(*parameter, pattern[open + 1] == '+')) parameter.reset();
    return parameter;
}

bool is_path(std::string_view path) {
    return std::ranges::any_of(table,
                               [&](const route& r) { return match(r.path, path).has_value(); });
}

api_error not_found(std::string_view method, std::string_view path) {
    auto message = fmt::format("there is no {} {}", quote_text(method), quote_text(path));
    // In OpenAI's clients, the base URL includes the prefix /v1.
    if (is_path("/v1" + std::string(path))) message += "; add /v1 to the base URL";
    return make_error(404, "not_found", std::move(message));
}

api_error not_allowed(std::string_view method, std::string_view path, std::string allowed) {
    auto e = make_error(
        405, "method_not_allowed",
        fmt::format("{} supports {}, not {}", quote_text(path), allowed, quote_text(method)));
    e.allow = std::move(allowed);
    return e;
}

void append_methods(std::string& list, std::string_view method) {
    list += list.empty() ? "" : ", ";
    list += method == "GET" ? "GET, HEAD" : method;
}

}  // namespace

std::span<const route> all_routes() noexcept {
    return table;
}

std::variant<matched_route, api_error> match_route(std::string_view method,
                                                   std::string_view target) {
    const auto path = path_of_target(target);
    if (target.size() > max_target_bytes) return not_found(method, path);
    const auto wanted = method == "HEAD" ? "GET" : method;
    std::string allowed;
    for (const auto& r : table) {
        auto parameter = match(r.path, path);
        if (!parameter) continue;
        if (r.method == wanted) return matched_route{&r, std::move(*parameter)};
        append_methods(allowed, r.method);
    }
    if (allowed.empty()) return not_found(method, path);
    return not_allowed(method, path, std::move(allowed));
}

}  // namespace tandem::gateway

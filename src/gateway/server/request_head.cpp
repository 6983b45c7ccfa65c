#include "gateway/server/request_head.hpp"

#include <algorithm>
#include <utility>

namespace tandem::gateway {

namespace http = boost::beast::http;

api_error make_malformed_error(std::string message) {
    return make_error(400, "malformed_http", std::move(message));
}

// Prevents request smuggling: Beast ignores an unknown Transfer-Encoding, so a proxy may disagree
// about where the body ends. The remaining bytes would then be a request that the proxy has not
// seen.
std::optional<api_error> find_framing_fault(const http_request& head) {
    const auto codings = head.count(http::field::transfer_encoding);
    if (codings > 0 &&
        (codings > 1 || head.version() < 11 || head.count(http::field::content_length) > 0 ||
         !boost::beast::iequals(head[http::field::transfer_encoding], "chunked")))
        return make_malformed_error(
            "Transfer-Encoding must be chunked, of HTTP/1.1, without a Content-Length");
    if (head.count(http::field::content_length) > 1)
        return make_malformed_error("there must be one Content-Length");
    const auto hosts = head.count(http::field::host);
    if (hosts > 1 || (hosts == 0 && head.version() >= 11))
        return make_malformed_error("there must be one Host");
    return std::nullopt;
}

bool is_request_id(std::string_view id) {
    constexpr std::size_t longest = 128;
    return !id.empty() && id.size() <= longest &&
           std::ranges::all_of(id, [](char c) { return c > ' ' && c < 0x7f; });
}

bool is_preflight(const http_request& head) {
    return head.method() == http::verb::options && !head["Origin"].empty() &&
           !head["Access-Control-Request-Method"].empty();
}

}  // namespace tandem::gateway

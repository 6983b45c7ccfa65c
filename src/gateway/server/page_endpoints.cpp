#include "gateway/http/page_file.hpp"
#include "gateway/server/endpoints.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

namespace tandem::gateway {
namespace {

using boost::asio::awaitable;

std::array<header_field, 4> headers_of(const page_file& file) {
    return {{{"ETag", file.etag},
             // The browser must ask before it uses a cached file, because another version of the
             // gateway has other files.
             {"Cache-Control", "no-cache"},
             {"Content-Security-Policy", page_content_security_policy},
             {"Referrer-Policy", "no-referrer"}}};
}

awaitable<void> send_file(http_exchange& exchange, const page_file& file) {
    const bool is_known = matches_etag(exchange.header("If-None-Match"), file);
    const auto headers = headers_of(file);
    co_await exchange.send(is_known ? 304 : 200, std::string(is_known ? "" : file.text),
                           file.content_type, headers);
}

}  // namespace

awaitable<void> answer_page(http_exchange& exchange) {
    co_await send_file(exchange, index_page());
}

awaitable<void> answer_asset(http_exchange& exchange, gateway_core& core, std::string_view name) {
    if (name == "gateway.json") {
        const bool is_open = core.gate.allows_anonymous();
        co_return co_await exchange.send(200, is_open ? R"({"keys":false})" : R"({"keys":true})");
    }
    const auto* const file = find_asset(name);
    if (!file)
        co_return co_await exchange.send(
            make_error(404, "not_found", fmt::format("the page has no file '{}'", name)));
    co_await send_file(exchange, *file);
}

}  // namespace tandem::gateway

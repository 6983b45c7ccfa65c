#include "serve/listen_address.hpp"

#include "base/parse_number.hpp"

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

namespace tandem::command {
namespace {

bool is_address(const std::string& text, bool is_in_brackets) {
    if (text == "localhost") return !is_in_brackets;
    boost::system::error_code ec;
    const auto address = boost::asio::ip::make_address(text, ec);
    return !ec && address.is_v6() == is_in_brackets;
}

}  // namespace

std::optional<listen_address> parse_listen_address(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto port = parse_number<std::uint16_t>(text.substr(colon + 1));
    auto address = text.substr(0, colon);
    const bool is_in_brackets =
        address.size() > 2 && address.starts_with('[') && address.ends_with(']');
    if (is_in_brackets) address = address.substr(1, address.size() - 2);
    listen_address read{std::string(address), port.value_or(0)};
    if (!port || !is_address(read.address, is_in_brackets)) return std::nullopt;
    return read;
}

std::string http_url(const listen_address& a, bool is_tls) {
    const bool is_v6 = a.address.find(':') != std::string::npos;
    const auto host = is_v6 ? fmt::format("[{}]", a.address) : a.address;
    return fmt::format("{}://{}:{}", is_tls ? "https" : "http", host, a.port);
}

}  // namespace tandem::command

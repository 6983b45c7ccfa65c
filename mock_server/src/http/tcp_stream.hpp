#pragma once

#include "http/byte_stream.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <memory>

namespace tandem::mock {

std::unique_ptr<byte_stream> make_tcp_stream(boost::asio::ip::tcp::socket socket);

}  // namespace tandem::mock

#pragma once

#include "http/tcp_stream.hpp"

#include <functional>
#include <string>

namespace tandem::mock {

using stream_maker = std::function<std::unique_ptr<byte_stream>(boost::asio::ip::tcp::socket)>;

/// Returns a factory for encrypted streams with the certificate and key of two PEM files. Throws if
/// they cannot be read, or if the mock server was built without OpenSSL.
stream_maker make_ssl_streams(const std::string& cert_file, const std::string& key_file);

}  // namespace tandem::mock

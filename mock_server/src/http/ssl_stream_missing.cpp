#include "http/ssl_stream.hpp"

#include <stdexcept>

namespace tandem::mock {

stream_maker make_ssl_streams(const std::string&, const std::string&) {
    throw std::invalid_argument("ssl_cert_file: the mock server was built without OpenSSL");
}

}  // namespace tandem::mock

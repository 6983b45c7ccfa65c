#pragma once

#include "gateway/http/tls_credentials.hpp"

#include "tandem/config.hpp"

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <vector>

namespace tandem::gateway {

/// A TLS 1.2 and 1.3 context with these credentials. If they are unusable, returns nullptr and adds
/// "tls.certificates" or "tls.key" to `faults`.
std::shared_ptr<boost::asio::ssl::context> make_tls_context(const tls_credentials& credentials,
                                                            std::vector<config_fault>& faults);

}  // namespace tandem::gateway

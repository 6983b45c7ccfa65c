#pragma once

#include <string>

namespace tandem::gateway {

/// TLS credentials of the gateway, as PEM text.
struct tls_credentials {
    /// The certificate, followed by the intermediate certificates.
    std::string certificates{};
    /// The private key, without a password.
    std::string key{};
};

}  // namespace tandem::gateway

#pragma once

#include <openssl/types.h>
#include <string>

namespace tandem::testing {

/// A new self-signed certificate and its key in PEM format. `name` is the subjectAltName, such as
/// "IP:127.0.0.1" or "DNS:example".
struct certificate {
    explicit certificate(const std::string& name);
    /// Takes ownership of `key_pair`.
    certificate(const std::string& name, EVP_PKEY* key_pair);

    std::string cert;
    std::string key;
};

}  // namespace tandem::testing

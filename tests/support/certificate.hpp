#pragma once

#include <string>

namespace tandem::testing {

/// A self-signed certificate and its key, both PEM, made again. `name` is its subjectAltName:
/// "IP:127.0.0.1" or "DNS:example".
struct certificate {
    explicit certificate(const std::string& name);

    std::string cert;
    std::string key;
};

}  // namespace tandem::testing

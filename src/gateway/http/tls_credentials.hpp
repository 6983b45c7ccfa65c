#pragma once

#include <string>

namespace tandem::gateway {

/// What the gateway shows to its clients, as the text of PEM files.
struct tls_credentials {
    /// Its certificate, and after it those that lead to one that clients know.
    std::string certificates{};
    /// Its private key, without a password.
    std::string key{};
};

}  // namespace tandem::gateway

#pragma once

#include "gateway/http/tls_credentials.hpp"

#include <string>
#include <vector>

// The certificate and the key of `tandem serve`, as files.
namespace tandem::command {

struct tls_files {
    /// PEM: a certificate with those that lead to it, and its private key. Both are empty where
    /// there is no TLS.
    std::string certificates{};
    std::string key{};

    bool is_empty() const noexcept { return certificates.empty(); }
};

/// Reads both, into `credentials` if they can be used, which stay as they are otherwise. The
/// faults, each with the file's name: "tls.key: is not the key of the certificate".
std::vector<std::string> read_tls_files(const tls_files& files,
                                        gateway::tls_credentials& credentials);

/// What to tell of the key's mode: that others of the machine may read it. Empty if they may not;
/// its group may, as some systems have one for this.
std::string key_mode_warning(const std::string& path);

}  // namespace tandem::command

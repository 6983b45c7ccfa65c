#pragma once

#include "gateway/http/tls_credentials.hpp"

#include <string>
#include <vector>

// The certificate and key files of `tandem serve`.
namespace tandem::command {

struct tls_files {
    /// PEM files: the certificate with its chain, and the private key. Both are empty without TLS.
    std::string certificates{};
    std::string key{};

    bool is_empty() const noexcept { return certificates.empty(); }
};

/// Reads both files into `credentials`. Returns the faults, each with flag and file: "--tls-key
/// tls.key: is not the key of the certificate". On a fault, `credentials` is unchanged.
std::vector<std::string> read_tls_files(const tls_files& files,
                                        gateway::tls_credentials& credentials);

/// Returns a warning if other users can read the key; otherwise empty. Access for the group is
/// allowed, because some systems have a group for TLS keys.
std::string key_mode_warning(const std::string& path);

}  // namespace tandem::command

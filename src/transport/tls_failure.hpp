#pragma once

#include "base/failure.hpp"

namespace tandem::transport {

/// Whether an exchange failed because of an untrusted certificate. Such a failure shows that the
/// port speaks TLS.
bool is_untrusted_certificate(const failure& f);

/// For a server that has never answered: turns the failure into tls_failed if a TLS handshake timed
/// out without an answer, because the port most likely speaks plain HTTP. Returns other failures
/// unchanged.
failure reclassify_handshake_timeout(failure f);

}  // namespace tandem::transport

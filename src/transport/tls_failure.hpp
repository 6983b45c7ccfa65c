#pragma once

#include "base/failure.hpp"

namespace tandem::transport {

/// Whether an exchange failed because of an untrusted certificate. Such a failure shows that the
/// port speaks TLS.
bool is_untrusted_certificate(const failure& f);

/// Adapts the failure of a server that has never answered: a TLS handshake that timed out without
/// an answer becomes tls_failed, because the port most likely speaks plain HTTP. Other failures are
/// unchanged.
failure reclassify_handshake_timeout(failure f);

}  // namespace tandem::transport

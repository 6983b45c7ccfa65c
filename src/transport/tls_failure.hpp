#pragma once

#include "base/failure.hpp"

namespace tandem::transport {

/// Whether an exchange failed at a certificate that is not trusted: so the port speaks TLS.
bool shows_certificate(const failure& f);

/// The failure of a server that has never answered. A TLS handshake that timed out without an
/// answer becomes tls_failed, because the port most likely speaks http. Other failures stay as they
/// are.
failure blame_silent_handshake(failure f);

}  // namespace tandem::transport

#pragma once

#include "base/failure.hpp"

namespace tandem::transport {

/// Whether an exchange failed at a certificate that is not trusted: so the port speaks TLS.
bool shows_certificate(const failure& f);

/// Whether time ran out in a TLS handshake that the port never answered: it may speak http, or its
/// process is frozen.
bool is_silent_handshake(const failure& f);

}  // namespace tandem::transport

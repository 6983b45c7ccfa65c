#pragma once

#include "base/failure.hpp"

namespace tandem::transport {

/// Whether an exchange failed at a certificate that is not trusted: so the port speaks TLS.
bool shows_certificate(const failure& f);

}  // namespace tandem::transport

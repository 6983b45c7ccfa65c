#pragma once

namespace tandem::command {

/// Raises the descriptor limit to the hard limit, because each connection uses a descriptor and the
/// default limit of 1024 is too low. Does nothing on failure.
void raise_descriptor_limit() noexcept;

}  // namespace tandem::command

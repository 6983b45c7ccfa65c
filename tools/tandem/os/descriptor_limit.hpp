#pragma once

namespace tandem::command {

/// Lets this process have as many descriptors as the system allows it: a connection takes one, and
/// the usual limit of 1024 is soon reached. What the system does not allow stays as it is.
void raise_descriptor_limit() noexcept;

}  // namespace tandem::command

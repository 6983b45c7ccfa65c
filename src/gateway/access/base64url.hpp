#pragma once

#include <span>
#include <string>

namespace tandem::gateway {

/// RFC 4648, section 5, without padding. Precondition: less than 1 MiB.
std::string encode_base64url(std::span<const unsigned char> bytes);

}  // namespace tandem::gateway

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tandem::transport {

/// What is wrong with a server's URL, in words; nothing if it can be used. Thread-safe.
std::optional<std::string> url_fault(std::string_view url);

}  // namespace tandem::transport

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::gateway {

/// Parses the value of OTEL_EXPORTER_OTLP_HEADERS: comma-separated pairs `name=value` with
/// percent-encoded values. Returns nullopt for any other text, and for names and values that no
/// header can contain.
std::optional<std::vector<std::pair<std::string, std::string>>> parse_otlp_headers(
    std::string_view text);

}  // namespace tandem::gateway

#pragma once

#include <string_view>

// W3C Trace Context: the header by which requests of one trace know each other. Pure.
namespace tandem {

/// Whether a `traceparent` header is well-formed; one that is not must be taken for none. Those of
/// later versions are, if they begin as version 00 does. What passes is at most 256 characters of
/// printable ASCII.
bool is_traceparent(std::string_view text) noexcept;

/// The trace id of a well-formed one, 32 hexadecimal digits; else empty. A view into `text`.
std::string_view trace_id_of(std::string_view text) noexcept;

}  // namespace tandem

#pragma once

#include <string_view>

// W3C Trace Context: the header that links the requests of one trace. Pure.
namespace tandem {

/// Whether a `traceparent` header is well-formed; a malformed header must be ignored. A header of a
/// later version is well-formed if it starts like version 00. A well-formed header has at most 256
/// characters, all printable ASCII.
bool is_valid_traceparent(std::string_view text) noexcept;

/// The trace id of a well-formed header (32 hexadecimal digits), or empty. A view into `text`.
std::string_view parse_trace_id(std::string_view text) noexcept;
/// The id of the caller's span in a well-formed header (16 digits), or empty. A view into `text`.
std::string_view parse_parent_id(std::string_view text) noexcept;
/// Whether the caller that sent a well-formed header records the trace; false for any other text.
bool is_sampled(std::string_view text) noexcept;

}  // namespace tandem

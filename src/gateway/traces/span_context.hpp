#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tandem::gateway {

/// Returns uniform random bits.
using random_bits = std::function<std::uint64_t()>;

/// The place of a span in its trace.
struct span_context {
    std::string trace{};
    std::string id{};
    std::string parent{};  // empty = none
    /// Whether the trace is recorded; the caller decides.
    bool is_sampled = true;
};

/// 16 hexadecimal digits, not all of them 0.
std::string make_span_id(const random_bits& random);

/// A new child of the span in a W3C traceparent; if the traceparent is not valid, the root of a
/// new, recorded trace.
span_context make_span_context(std::string_view traceparent, const random_bits& random);

/// The value of the traceparent header that makes requests children of the span.
std::string to_traceparent(const span_context& context);

}  // namespace tandem::gateway

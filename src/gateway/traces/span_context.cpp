#include "gateway/traces/span_context.hpp"

#include "base/trace_context.hpp"

#include <fmt/format.h>

namespace tandem::gateway {

std::string make_span_id(const random_bits& random) {
    auto bits = random();
    while (bits == 0) bits = random();
    return fmt::format("{:016x}", bits);
}

span_context make_span_context(std::string_view traceparent, const random_bits& random) {
    span_context made{.id = make_span_id(random)};
    if (!is_valid_traceparent(traceparent)) {
        made.trace = make_span_id(random) + make_span_id(random);
        return made;
    }
    made.trace = parse_trace_id(traceparent);
    made.parent = parse_parent_id(traceparent);
    made.is_sampled = is_sampled(traceparent);
    return made;
}

std::string to_traceparent(const span_context& context) {
    return fmt::format("00-{}-{}-{}", context.trace, context.id, context.is_sampled ? "01" : "00");
}

}  // namespace tandem::gateway

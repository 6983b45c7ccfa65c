#pragma once

#include "gateway/traces/span.hpp"

#include "tandem/duration.hpp"

#include <string>
#include <string_view>

// The JSON encoding of OTLP, and OTLP's rules for clients. Pure.
namespace tandem::gateway {

/// One span as JSON.
std::string encode_span(const gateway::span& s);

/// The body of an export request. `spans` are results of encode_span(), joined by commas.
std::string encode_export(std::string_view spans);

/// The answer of a collector.
struct export_answer {
    /// 0 = there was no answer.
    int status = 0;
    /// How long the collector asks the client to wait before the next request.
    duration retry_after{};
    std::string body{};

    bool is_ok() const noexcept { return status == 200; }
    /// Whether the same request may be sent again: there was no answer, or the collector is busy.
    bool is_retryable() const noexcept;
};

/// Why the collector rejected spans of a request that it accepted; empty if it rejected none.
std::string find_rejection(const export_answer& answer);

}  // namespace tandem::gateway

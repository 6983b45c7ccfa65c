#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tandem::gateway {

/// One audit log entry. Never contains an API key.
struct audit_record {
    std::chrono::system_clock::time_point time{};
    std::string request_id{};
    /// Trace id from the client's traceparent; empty if there is none.
    std::string trace_id{};
    /// Client address without the port.
    std::string remote{};
    /// Name of the key; empty if the request had none.
    std::string key{};
    std::string method{};
    /// route::path rather than the request target, which may contain anything; empty if no route
    /// matched.
    std::string route{};
    std::string model{};
    /// reply::id(), which the library's log messages contain; nullopt if no reply was started.
    std::optional<std::uint64_t> reply{};
    /// The number of a reply in its voice session, as the client knows it.
    std::optional<std::uint64_t> voice_reply{};
    /// HTTP status.
    int status = 0;
    /// Token counts of a reply; nullopt for other requests, or if unknown.
    std::optional<std::int64_t> tokens_in{};
    std::optional<std::int64_t> tokens_out{};
    /// Time from the arrival of the request's head to the end of the response.
    std::chrono::nanoseconds elapsed{};
    std::string finish_reason{};
    /// api_error::code of the error response; empty without an error or a code.
    std::string error{};
    /// Set only if the operator has enabled prompts in the audit log.
    std::optional<std::string> prompt{};
};

inline constexpr std::size_t max_audit_field_bytes = 256;
inline constexpr std::size_t max_audit_prompt_bytes = std::size_t{64} << 10;

/// One line of JSON without a line feed. Empty or unknown fields are null; only `prompt` is omitted
/// if it is not set. The line is pure ASCII, so that no Unicode line separators or terminal escapes
/// reach a log. Texts that exceed the limits above are truncated, and end with "…". Pure.
std::string format_audit_line(const audit_record& r);

/// A readable line for the log: the request, its result, and the ids by which other logs refer to
/// the request. The same limits apply. Pure.
std::string format_log_line(const audit_record& r);

}  // namespace tandem::gateway

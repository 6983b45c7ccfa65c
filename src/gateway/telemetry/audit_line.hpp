#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tandem::gateway {

/// What is remembered of a request for those who ask later who did what. Nothing here is a key.
struct audit_record {
    std::chrono::system_clock::time_point time{};
    std::string request_id{};
    /// Of the trace that the client says it belongs to; empty if it says none.
    std::string trace_id{};
    /// The client's address, without its port.
    std::string remote{};
    /// Its name; empty if none was given.
    std::string key{};
    std::string method{};
    /// route::path, not the target, which the client may write anything into; empty if there is no
    /// such route.
    std::string route{};
    std::string model{};
    /// reply::id(), by which the library's lines of the log name it; nothing where none began.
    std::optional<std::uint64_t> reply{};
    /// Of the HTTP answer.
    int status = 0;
    /// Of a reply; nothing for other requests, and where it is not known.
    std::optional<std::int64_t> tokens_in{};
    std::optional<std::int64_t> tokens_out{};
    /// From the request's head to the answer's end.
    std::chrono::nanoseconds took{};
    std::string finish_reason{};
    /// api_error::code of the client's error; empty without an error or a code.
    std::string error{};
    /// Only where the operator asked for it.
    std::optional<std::string> prompt{};
};

inline constexpr std::size_t max_audit_field_bytes = 256;
inline constexpr std::size_t max_audit_prompt_bytes = std::size_t{64} << 10;

/// One line of JSON, without a line end; what is empty or not known is null, and all fields are
/// there but `prompt`. It is all ASCII, so that no line end of Unicode's, nor anything that a
/// terminal obeys, gets into a log. Texts longer than the bounds are cut, and end with "…" then.
/// Pure.
std::string audit_line(const audit_record& r);

/// The same for people, for the log: what was asked for, what became of it, and by which ids others
/// know it. Bounded as above. Pure.
std::string log_line(const audit_record& r);

}  // namespace tandem::gateway

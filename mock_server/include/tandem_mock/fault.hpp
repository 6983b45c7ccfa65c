#pragma once

#include "tandem_mock/observations.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tandem::mock {

/// Kind of a fault. It acts at `fault::at_token` or `fault::at_byte` unless noted otherwise.
enum class fault_kind {
    stall,         ///< no output for `duration`, 0 = forever; the slot stays busy
    reset,         ///< the connection is reset (RST)
    close,         ///< the connection is closed (FIN) before the chunked body ends
    half_event,    ///< half of the event is sent; the rest follows after `duration`, 0 = close
    garbage,       ///< `text` is sent between two events
    no_final,      ///< the chunked body ends properly, but without the final event
    stream_error,  ///< an error event with `status` and `text`; before the first token: HTTP error
    slow_headers,  ///< the response headers are `duration` late
    /// 503 "Loading model" for this request. If `duration` is set, for all requests until it has
    /// passed since the fault was added.
    unavailable,
    http_error,  ///< `status` and `text` instead of an answer
    crash,       ///< the server crashes
    /// The server notices a disconnect `duration` late, 0 = never. The slot stays busy until then,
    /// even after the reply is complete. Ignores `at_token` and `at_byte`.
    unnoticed_cut,
};

/// A fault, and the requests that it affects. Each request meets at most one fault: of those that
/// match, the one that was added first.
///
/// The text form, in the flag `--fault` and the field `"mock_fault"` of a request's body, is the
/// kind, followed by fields: `reset:at_token=3`, `stall:at_token=5,duration=2s,times=2`,
/// `http_error:status=500,text=boom`. Durations are written `250ms`, `2s`, `1m` or as plain
/// seconds. `text` extends to the end of the line.
struct fault {
    fault_kind kind = fault_kind::reset;
    /// Acts after this many generated tokens; -1 = instead of the final event. If the reply is
    /// shorter, acts at its final event; stall, stream_error and crash then do not act. Acts at the
    /// start of an answer that is not streamed.
    int at_token = 1;
    /// Acts before this byte of the body, whatever `at_token` is; -1 = off. Has no effect on
    /// stream_error, crash and unnoticed_cut.
    std::int64_t at_byte = -1;
    std::chrono::milliseconds duration{0};
    /// Number of matching requests that pass unharmed before the fault acts.
    int skip = 0;
    /// Number of requests that are affected; 0 = all that match.
    int times = 1;
    /// Affects only requests of this path; empty = all.
    std::string path = "/completion";
    /// Affects only requests for this slot; -1 = all.
    int id_slot = -1;
    int status = 500;
    /// Empty = an event of invalid JSON for garbage, "injected fault" for other kinds.
    std::string text{};
    /// A further condition on the request, evaluated on the server's thread; empty = none.
    std::function<bool(const request_record&)> when{};
};

/// Throws std::invalid_argument with the reason.
fault parse_fault(std::string_view text);

}  // namespace tandem::mock

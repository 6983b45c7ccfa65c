#pragma once

#include "tandem_mock/observations.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tandem::mock {

/// What goes wrong. The place is `fault::at_token` or `fault::at_byte` unless said otherwise.
enum class fault_kind {
    stall,         ///< nothing comes for `duration`, the slot stays busy; 0 = for ever
    reset,         ///< the connection is reset (RST)
    close,         ///< the connection is closed (FIN), the chunked body stays open
    half_event,    ///< half of the event comes; the rest after `duration`, 0 = a close instead
    garbage,       ///< `text` comes between two events
    no_final,      ///< the chunked body ends properly, the final event never comes
    stream_error,  ///< an error event with `status` and `text`; before the first token: HTTP error
    slow_headers,  ///< the response's headers come `duration` late
    unavailable,   ///< 503 "Loading model": this request, or all requests for `duration`
    http_error,    ///< `status` and `text` in place of an answer
    crash,         ///< the server dies
    /// The client's close is noticed `duration` late, 0 = never. Its slot stays busy for so long:
    /// the reply is generated to its end, and then nothing happens. Has no place.
    unnoticed_cut,
};

/// One fault and the requests it happens to. A request meets at most one: the oldest that fits.
///
/// As text (flag `--fault`, field `"mock_fault"` of a request's body): the kind, then fields:
/// `reset:at_token=3`, `stall:at_token=5,duration=2s,times=2`, `http_error:status=500,text=boom`.
/// Durations are written `250ms`, `2s`, `1m` or as plain seconds. `text` takes the rest of the
/// line.
struct fault {
    fault_kind kind = fault_kind::reset;
    /// Acts when this many tokens were generated; -1 = instead of the final event, where a reply
    /// that is shorter meets it too (but not stall, stream_error and crash). Answers that are no
    /// stream meet it at their start.
    int at_token = 1;
    /// Acts before this byte of the answer's body instead; -1 = see `at_token`. Not for
    /// stream_error, crash and unnoticed_cut.
    std::int64_t at_byte = -1;
    std::chrono::milliseconds duration{0};
    /// So many requests that fit pass unharmed first.
    int skip = 0;
    /// How many requests it happens to; 0 = all that fit.
    int times = 1;
    /// Requests of this path only; empty = of all.
    std::string path = "/completion";
    /// Requests that asked for this slot only; -1 = for any.
    int id_slot = -1;
    int status = 500;
    /// Empty = a fitting default.
    std::string text{};
    /// Further condition, called on the server's thread; empty = none.
    std::function<bool(const request_record&)> when{};
};

/// Throws std::invalid_argument that says what is wrong.
fault parse_fault(std::string_view text);

}  // namespace tandem::mock

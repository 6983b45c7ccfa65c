#pragma once

#include "base/failure.hpp"
#include "wire/json/token_event.hpp"
#include "wire/stream/event_text.hpp"
#include "wire/stream/sse_parser.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tandem::wire {

inline constexpr std::string_view completion_path = "/completion";
inline constexpr int http_ok = 200;

/// Reads the answer to one POST /completion as it comes: token events under status 200, else the
/// body of an error; and reports what is wrong with it. Pure.
class completion_reader {
 public:
    /// The answer begins with this status; before any bytes.
    void begin(int http_status) noexcept { http_status_ = http_status; }
    /// Bytes of the body, which must stay valid until next() is false.
    void feed(std::string_view bytes);
    /// Reads one event, which is no error event, with text that is valid UTF-8. False when the
    /// bytes are used up, or on a fault.
    bool next(token_event& out);

    /// What makes continuing senseless: an event that cannot be read or is too large, or an error
    /// of the server's in the stream.
    const std::optional<failure>& fault() const noexcept { return fault_; }
    /// What it means that the answer ends here, with this error of the transport if any, and no
    /// final event came. Half a character that still waits for its rest is dropped: a request that
    /// continues from here generates it again.
    failure ended(error_code ec, const diagnostics& diag) const;

 private:
    bool read(const sse_event& event, token_event& out);

    int http_status_ = 0;
    bool events_came_ = false;
    std::string error_body_;
    sse_parser sse_;
    event_text text_;
    std::optional<failure> fault_;
};

}  // namespace tandem::wire

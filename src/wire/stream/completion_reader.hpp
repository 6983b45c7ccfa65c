#pragma once

#include "base/failure.hpp"
#include "wire/json/token_event.hpp"
#include "wire/stream/sse_parser.hpp"
#include "wire/stream/utf8_event_joiner.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tandem::wire {

inline constexpr std::string_view completion_path = "/completion";
inline constexpr int http_ok = 200;

/// Reads the answer to one POST /completion incrementally: token events if the status is 200,
/// otherwise the body of an error. Pure.
class completion_reader {
 public:
    /// Starts the answer with its status; call it before feed().
    void begin(int http_status) noexcept { http_status_ = http_status; }
    /// Adds bytes of the body, which must stay valid until next() returns false.
    void feed(std::string_view bytes);
    /// Reads one event other than an error, with valid UTF-8 text. Returns false when the bytes are
    /// used up, or on a fault.
    bool next(token_event& out);

    /// A fault after which reading cannot continue: an unreadable or oversized event, or an error
    /// event from the server.
    const std::optional<failure>& fault() const noexcept { return fault_; }
    /// The failure of an answer that ends here without a final event; `ec` is the transport's
    /// error, if any. Drops an incomplete character: a request that continues from here generates
    /// it again.
    failure make_end_failure(error_code ec, const diagnostics& diag) const;

 private:
    bool read(const sse_event& event, token_event& out);

    int http_status_ = 0;
    bool events_came_ = false;
    std::string error_body_;
    sse_parser sse_;
    utf8_event_joiner text_;
    std::optional<failure> fault_;
};

}  // namespace tandem::wire

#pragma once

#include "base/time.hpp"

#include <optional>

namespace tandem::detail {

/// Whether requests are sent to a server whose last ones failed: after some failures in a row none
/// is for a pause, then one, which decides; where that fails too, the pause comes again. It does
/// not grow: a listener who waits for this server may miss the moment it is back by one pause at
/// most. Pure.
class circuit_breaker {
 public:
    /// 0 failures: it never opens.
    circuit_breaker(int failures, duration pause) : failures_(failures), pause_(pause) {}

    /// A request that was sent then broke off. Those that were under way together fail together,
    /// and count once; those that do not ask, as replies that continue from a pause, change nothing
    /// in an open circuit. True if that opened it.
    bool failed(time_point now, time_point sent) noexcept;
    /// One was answered with text, or the server was seen to have come back. True if that closed
    /// the circuit.
    bool succeeded() noexcept;
    /// A request did not reach the server: another one may be sent in its place.
    void not_reached(time_point now) noexcept;
    /// Whether a request may be sent now.
    bool allows(time_point now) const noexcept { return !open_until_ || *open_until_ <= now; }
    /// One is: if the circuit is open, no other goes with it for a pause.
    void sent(time_point now) noexcept;
    /// Failures in a row, and when the next request may be sent; nothing if it may at any time.
    int failures() const noexcept { return in_a_row_; }
    const std::optional<time_point>& open_until() const noexcept { return open_until_; }

 private:
    int failures_;
    duration pause_;
    int in_a_row_ = 0;
    std::optional<time_point> last_failed_;
    std::optional<time_point> tried_;  // with one request, whose failure decides
    std::optional<time_point> open_until_;
};

}  // namespace tandem::detail

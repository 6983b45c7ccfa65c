#pragma once

#include "base/time.hpp"

#include <optional>

namespace tandem::detail {

/// Decides whether to send requests to a server whose latest requests failed. After a number of
/// consecutive failures, the breaker blocks requests for a pause, and then admits a single request
/// as a trial. If the trial also fails, another pause of the same length follows. Pauses do not
/// grow, so a listener who waits for the server loses at most one pause after the server is back.
/// Pure.
class circuit_breaker {
 public:
    /// With 0 failures, the circuit never opens.
    circuit_breaker(int failures, duration pause) : failures_(failures), pause_(pause) {}

    /// A request sent at `sent` broke off. Failures of requests that ran at the same time count as
    /// one. Requests sent without calling allows(), such as those of replies that resume after a
    /// pause, do not affect an open circuit. Returns true if the failure opened the circuit.
    bool record_failure(time_point now, time_point sent) noexcept;
    /// A request was answered with text, or the server was found to be back. Returns true if that
    /// closed the circuit.
    bool record_success() noexcept;
    /// A request did not reach the server. If it was the trial, another one may be sent in its
    /// place.
    void on_unreachable(time_point now) noexcept;
    /// Whether a request may be sent.
    bool allows(time_point now) const noexcept { return !open_until_ || *open_until_ <= now; }
    /// A request is being sent. If the circuit is open, no other request is allowed for the length
    /// of a pause.
    void record_request(time_point now) noexcept;
    /// Consecutive failures, and when the next request may be sent; nullopt if a request may be
    /// sent at any time.
    int failures() const noexcept { return in_a_row_; }
    const std::optional<time_point>& open_until() const noexcept { return open_until_; }

 private:
    int failures_;
    duration pause_;
    int in_a_row_ = 0;
    std::optional<time_point> last_failed_;
    std::optional<time_point> tried_;  // when the trial request was sent
    std::optional<time_point> open_until_;
};

}  // namespace tandem::detail

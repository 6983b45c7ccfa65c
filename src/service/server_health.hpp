#pragma once

#include "base/time.hpp"

#include "tandem/error.hpp"
#include "tandem/service_config.hpp"

#include <optional>
#include <string>

namespace tandem::services {

/// Decides when to check the health of a server, and interprets the answers. Pure.
class server_health {
 public:
    using health = server_status::health;

    explicit server_health(duration interval) : interval_(interval) {}

    /// Time of the next check; nullopt while a check is running.
    std::optional<time_point> next_check() const noexcept { return next_check_; }
    void on_check_started() noexcept;
    /// A client is waiting for the server: if the server is not up, it is checked soon, regardless
    /// of how long it has been away.
    void request_check_soon() noexcept;
    /// A turn begins on the server: the server is checked now, unless it has just answered. Returns
    /// true if that changed the schedule.
    bool check_if_stale(time_point now) noexcept;
    /// Whether the server has rejected a request because of the key, which /health does not check.
    bool rejects_key() const noexcept { return refuses_key_; }
    /// Whether the next check must be authenticated, because /health would not prove that requests
    /// are served: no authenticated check has passed yet, the server has rejected the key, or
    /// something other than a llama-server has answered.
    bool needs_authenticated_check() const noexcept {
        return !has_passed_authenticated_check_ || refuses_key_ || is_foreign();
    }
    /// Whether a check or a request has shown the server's state since `t`. An earlier failure does
    /// not count for a turn: nothing is checked while no reply runs, so the server may be back.
    bool was_tried_since(time_point t) const noexcept { return tried_at_ >= t; }
    /// Why no connection to the server has ever succeeded; no error once it has answered anything.
    error_code never_reached_error() const noexcept { return why_never_reached_; }
    /// Records the result of the check. Returns true if the state changed.
    bool record_check_result(time_point now, const error_code& ec, std::string words);
    /// Records the failure of a request. If it shows that the server is gone, is loading a model,
    /// or is not a llama-server, the state changes, and a check follows soon. Returns true if the
    /// state changed.
    bool record_request_failure(time_point now, const error_code& ec, std::string words);

    health state() const noexcept { return state_; }
    /// A server that has not been checked yet is assumed to be up.
    bool may_serve() const noexcept { return state_ == health::up || state_ == health::unknown; }
    /// The server did not answer in time: it may be busy or frozen, possibly before TLS is up. Or
    /// something other than a llama-server answered, for example a proxy whose server may still
    /// start. Such a server is used only if there is no other.
    bool is_hanging() const noexcept { return is_unresponsive_ || is_foreign(); }
    const std::string& fault() const noexcept { return fault_; }

 private:
    /// What the server's answers have shown it to be. `healthy`: a llama-server that has passed a
    /// check, by /health or /props.
    enum class identity { unreached, unproven, foreign, healthy };

    bool is_foreign() const noexcept { return identity_ == identity::foreign; }
    bool enter_state(health next, std::string words);
    void record_reached(const error_code& ec) noexcept;
    void schedule_check_soon(time_point now);

    duration interval_;
    health state_ = health::unknown;
    std::string fault_;
    std::optional<time_point> next_check_{time_point::min()};
    duration pause_{};  // before the next check of a server that is not up
    time_point check_requested_at_{};
    time_point answered_at_ = time_point::min();
    time_point tried_at_ = time_point::min();
    bool is_unresponsive_ = false;
    bool refuses_key_ = false;
    bool is_check_authenticated_ = false;  // for the running check
    // A server loading its model answers before it checks the key, so the first check may fail.
    bool has_passed_authenticated_check_ = false;
    identity identity_ = identity::unreached;
    error_code why_never_reached_;
};

/// Whether an error shows that the server is gone or not ready, regardless of the request.
bool indicates_server_down(const error_code& ec) noexcept;

}  // namespace tandem::services

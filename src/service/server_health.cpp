#include "service/server_health.hpp"

#include "server/retry_policy.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tandem::services {
namespace {

// Short, so that a restarted server is found soon; checking a server that stays away costs little.
constexpr duration first_pause = std::chrono::milliseconds(100);
// As long as the longest pause of a reply that looks for a server.
constexpr duration max_pause_when_requested = std::chrono::milliseconds(400);

constexpr duration fresh = std::chrono::milliseconds(500);

constexpr std::array gone{errc::resolve_failed,  errc::connect_failed,    errc::connect_timeout,
                          errc::tls_failed,      errc::stream_incomplete, errc::model_loading,
                          errc::request_timeout, errc::unauthorized};

}  // namespace

bool indicates_server_down(const error_code& ec) noexcept {
    return std::find(gone.begin(), gone.end(), ec) != gone.end();
}

bool server_health::enter_state(health next, std::string words) {
    fault_ = std::move(words);
    return std::exchange(state_, next) != next;
}

// A failed handshake is more informative than the timeout of a health check during the handshake.
void server_health::record_reached(const error_code& ec) noexcept {
    if (identity_ == identity::unreached && !detail::is_connect_error(ec))
        identity_ = identity::unproven;
    if (identity_ != identity::unreached)
        why_never_reached_.clear();
    else if (why_never_reached_ != errc::tls_failed)
        why_never_reached_ = ec;
}

void server_health::schedule_check_soon(time_point now) {
    pause_ = std::clamp(2 * pause_, std::min(first_pause, interval_), interval_);
    next_check_ = now + pause_;
    check_requested_at_ = now;
}

void server_health::on_check_started() noexcept {
    next_check_.reset();
    is_check_authenticated_ = needs_authenticated_check();
}

void server_health::request_check_soon() noexcept {
    if (may_serve() || !next_check_) return;
    next_check_ = std::min(*next_check_, check_requested_at_ + max_pause_when_requested);
}

bool server_health::check_if_stale(time_point now) noexcept {
    if (!next_check_ || *next_check_ <= now || answered_at_ > now - fresh) return false;
    next_check_ = now;
    return true;
}

// A server without /health cannot be watched: it is considered up, unless it has also failed to
// answer like a llama-server. Any answer but "ok" may come from a proxy that reports a dead server.
bool server_health::record_check_result(time_point now, const error_code& ec, std::string words) {
    answered_at_ = tried_at_ = now;
    record_reached(ec);
    is_unresponsive_ = ec == errc::request_timeout || ec == errc::connect_timeout;
    const bool is_key_unchecked = refuses_key_ && !is_check_authenticated_;
    const bool is_no_server = is_foreign() && ec == errc::not_supported;
    if (is_no_server || (is_key_unchecked && (!ec || ec == errc::not_supported))) {
        schedule_check_soon(now);
        return false;
    }
    if (is_foreign()) identity_ = identity::unproven;
    if (ec && ec != errc::not_supported) {
        refuses_key_ = refuses_key_ || ec == errc::unauthorized;
        schedule_check_soon(now);
        return enter_state(ec == errc::model_loading ? health::loading : health::down,
                           std::move(words));
    }
    pause_ = {};
    refuses_key_ = false;
    has_passed_authenticated_check_ = has_passed_authenticated_check_ || is_check_authenticated_;
    if (!ec) identity_ = identity::healthy;
    next_check_ = now + interval_;
    return enter_state(health::up, {});
}

bool server_health::record_request_failure(time_point now, const error_code& ec,
                                           std::string words) {
    record_reached(ec);
    const bool is_no_server = ec == errc::not_supported && identity_ != identity::healthy;
    if (!indicates_server_down(ec) && !is_no_server) return false;
    tried_at_ = now;
    if (is_no_server) identity_ = identity::foreign;
    const bool was_up = may_serve();
    // A single broken stream may be the fault of its connection, so the state changes only with the
    // check.
    if (ec == errc::stream_incomplete || ec == errc::request_timeout) {
        if (was_up && next_check_) next_check_ = now;
        return false;
    }
    if (was_up && next_check_) schedule_check_soon(now);
    is_unresponsive_ = false;
    refuses_key_ = refuses_key_ || ec == errc::unauthorized;
    return enter_state(ec == errc::model_loading ? health::loading : health::down,
                       std::move(words));
}

}  // namespace tandem::services

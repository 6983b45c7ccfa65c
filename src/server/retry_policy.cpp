#include "server/retry_policy.hpp"

#include "base/mix_bits.hpp"
#include "wire/stream/server_error.hpp"

#include <algorithm>
#include <array>

namespace tandem::detail {
namespace {

constexpr duration first_pause = std::chrono::milliseconds(50);
// Short, because a listener hears the silence; a request to a server that is away costs little.
constexpr duration max_pause = std::chrono::milliseconds(400);

constexpr std::array away{errc::resolve_failed, errc::connect_failed, errc::connect_timeout,
                          errc::model_loading,  errc::no_model,       errc::circuit_open};
constexpr std::array unconnected{errc::resolve_failed, errc::connect_failed, errc::connect_timeout,
                                 errc::tls_failed};
constexpr std::array broken{errc::stream_incomplete,      errc::first_token_timeout,
                            errc::between_tokens_timeout, errc::request_timeout,
                            errc::server_error,           errc::server_gone};
constexpr std::array unreadable{errc::bad_response, errc::response_too_large};

template <class Codes>
bool is_among(const Codes& codes, const error_code& ec) noexcept {
    return std::find(codes.begin(), codes.end(), ec) != codes.end();
}

}  // namespace

failure_kind classify_failure(const error_code& ec, bool has_read) noexcept {
    if (is_among(away, ec)) return failure_kind::away;
    if (is_among(broken, ec)) return failure_kind::broken;
    return has_read && is_among(unreadable, ec) ? failure_kind::broken : failure_kind::final;
}

failure_kind classify_failure(const failure& why, bool has_read) noexcept {
    if (why.ec == errc::server_error && wire::is_gateway_error(why.diag.http_status))
        return failure_kind::away;
    return classify_failure(why.ec, has_read);
}

bool is_connect_error(const error_code& ec) noexcept {
    return is_among(unconnected, ec);
}

bool retry_policy::record_failure(time_point now, failure_kind what) noexcept {
    if (what == failure_kind::final || rules_.retries == 0) return false;
    if (what == failure_kind::broken && ++broken_ > rules_.retries) return false;
    if (!since_) since_ = now;
    next_try_ = now + pause();
    ++tries_;
    return true;
}

void retry_policy::on_progress() noexcept {
    since_.reset();
    broken_ = tries_ = 0;
}

time_point retry_policy::give_up_deadline(time_point listener_waits_since) const noexcept {
    return std::max(*since_, listener_waits_since) + rules_.resume_within;
}

// Random, between half of the pause and the full pause. The same seed gives the same pauses in
// every run.
duration retry_policy::pause() const noexcept {
    if (tries_ == 0) return {};
    const auto whole = std::min(max_pause, first_pause * (1 << std::min(tries_ - 1, 10)));
    const auto half = static_cast<std::uint64_t>(whole.count() / 2);
    const auto chance = mix_bits(seed_ + static_cast<std::uint64_t>(tries_)) % (half + 1);
    return duration(static_cast<duration::rep>(half + chance));
}

}  // namespace tandem::detail

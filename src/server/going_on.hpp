#pragma once

#include "base/time.hpp"

#include "tandem/error.hpp"

#include <cstdint>
#include <optional>

namespace tandem::detail {

/// What a failure says of a server.
enum class failure_kind {
    final,   ///< the same request fails again, there and elsewhere
    broken,  ///< it had the request, and did not do it
    away,    ///< nobody takes requests there now: waiting may help
};

/// Of a reply's failure. `has_read`: the server had answered with text, so it is a llama-server,
/// and what cannot be read came broken.
failure_kind kind_of(const error_code& ec, bool has_read) noexcept;

/// No connection came about.
bool is_of_connecting(const error_code& ec) noexcept;

/// How often and how long a reply tries again after its server failed.
struct going_on_rules {
    /// Requests that break one after the other, without new text, before it gives up; 0 = it never
    /// continues.
    int retries = 0;
    /// The listener's patience, from the failure until a server begins the next request.
    duration resume_within = std::chrono::seconds(3);
};

/// Whether and when a reply continues after its server failed. The first try comes at once, as
/// another server may be there; further ones after growing pauses with some chance in them, so that
/// the replies of a dead server do not come back together. Pure.
class going_on {
 public:
    /// `seed` is what the chance is made of.
    going_on(going_on_rules rules, std::uint64_t seed) : rules_(rules), seed_(seed) {}

    /// A server failed. False: that is the end of the reply.
    bool failed(time_point now, failure_kind what) noexcept;
    /// A server has begun the request: the patience is not needed any more.
    void begun() noexcept { since_.reset(); }
    /// New text came: all is well again.
    void progressed() noexcept;

    /// The next request that breaks is the end.
    bool is_at_last_try() const noexcept { return broken_ >= rules_.retries; }
    /// Since when the reply has been trying; nothing if it is not.
    const std::optional<time_point>& since() const noexcept { return since_; }
    /// When the next server is asked.
    time_point next_try() const noexcept { return next_try_; }
    /// When a listener who has been waiting since then has waited long enough. Precondition:
    /// since().
    time_point given_up_at(time_point listener_waits_since) const noexcept;
    const going_on_rules& rules() const noexcept { return rules_; }

 private:
    duration pause() const noexcept;

    going_on_rules rules_;
    std::uint64_t seed_;
    std::optional<time_point> since_;
    time_point next_try_{};
    int broken_ = 0;  // requests in a row
    int tries_ = 0;   // in a row, of both kinds
};

}  // namespace tandem::detail

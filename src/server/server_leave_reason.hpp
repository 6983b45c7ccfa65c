#pragma once

#include "base/failure.hpp"
#include "base/time.hpp"

namespace tandem::detail {

/// Why a reply or a turn should leave a server. The reply's machine decides whether the reply
/// leaves. A turn that is still being started on a hanging server leaves it, unless
/// failover_config::retries is 0.
struct server_leave_reason {
    enum class kind {
        removed,  ///< removed from the service, and the time limit has passed
        away,     ///< a check found the server away
        hangs,    ///< a check got no answer, while another server is healthy
    };
    kind what;
    failure why;
    /// Start of the check that found this reason.
    time_point check_started_at{};
};

}  // namespace tandem::detail

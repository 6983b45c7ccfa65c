#pragma once

#include "base/failure.hpp"
#include "base/time.hpp"

namespace tandem::detail {

/// Why what runs at a server should leave it. Whether a reply does is its machine's rule; a turn
/// that still looks there leaves one that hangs, where it may continue at all.
struct reason_to_leave {
    enum class kind {
        removed,  ///< from the service, and its time is over
        away,     ///< a check found it so
        hangs,    ///< a check got no answer, and another server is well
    };
    kind what;
    failure why;
    /// When the check began that found it so.
    time_point asked{};
};

}  // namespace tandem::detail

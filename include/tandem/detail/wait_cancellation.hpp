#pragma once

#include <memory>

namespace tandem::detail {

/// The cancellation of one wait for a chunk or its speech. Use it only on the strand.
struct wait_cancellation {
    bool was_requested = false;
};

/// Null if nothing can cancel the wait.
using shared_cancellation = std::shared_ptr<wait_cancellation>;

}  // namespace tandem::detail

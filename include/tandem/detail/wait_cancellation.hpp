#pragma once

#include <memory>

namespace tandem::detail {

/// Whether one wait for a chunk, its speech or the calls was cancelled. Use it only on the strand.
struct wait_cancellation {
    bool was_requested = false;
};

/// Null if nothing can cancel the wait.
using shared_cancellation = std::shared_ptr<wait_cancellation>;

}  // namespace tandem::detail

#pragma once

#include "tandem/detail/wait_cancellation.hpp"

#include <utility>

namespace tandem::detail {

/// A consumer's wait for a chunk, its speech, or the calls of the reply. A cancellation is
/// dispatched to the strand, and may overtake a wait that another thread began.
template <class Completion>
class consumer_wait {
 public:
    explicit operator bool() const noexcept { return static_cast<bool>(handler_); }

    void begin(shared_cancellation by, Completion handler) {
        cancellation_ = std::move(by);
        handler_ = std::move(handler);
    }
    /// Whether this wait is outstanding; if so, its handler must be completed.
    bool cancel(const shared_cancellation& by) noexcept {
        by->was_requested = true;
        return handler_ && by == cancellation_;
    }
    Completion take_handler() noexcept { return std::exchange(handler_, {}); }
    void drop() noexcept { handler_ = {}; }

 private:
    Completion handler_;
    shared_cancellation cancellation_;
};

}  // namespace tandem::detail

#pragma once

#include "tandem/detail/any_completion.hpp"

#include <cstdint>
#include <utility>

namespace tandem::detail {

/// A consumer's wait for a chunk or its speech, and the cancellation of that wait. The cancellation
/// is posted to the strand and may overtake the start of a wait that began elsewhere.
template <class Completion>
class consumer_wait {
 public:
    explicit operator bool() const noexcept { return static_cast<bool>(handler_); }

    void begin(std::uint64_t id, Completion handler) {
        id_ = id;
        handler_ = std::move(handler);
    }
    bool was_cancelled(std::uint64_t id) const noexcept { return id == cancelled_; }
    /// Whether this wait is outstanding; its handler must then be completed.
    bool cancel(std::uint64_t id) noexcept {
        cancelled_ = id;
        return handler_ && id == id_;
    }
    Completion take_handler() noexcept { return std::exchange(handler_, {}); }
    void drop() noexcept { handler_ = {}; }

 private:
    Completion handler_;
    std::uint64_t id_ = 0;
    std::uint64_t cancelled_ = 0;
};

}  // namespace tandem::detail

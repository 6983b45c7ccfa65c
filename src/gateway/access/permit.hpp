#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace tandem::gateway {

/// The state that a counter and its permits share.
struct permit_count {
    std::size_t held = 0;
    std::function<void(std::size_t held)> on_release{};
};

/// A permit counts against a limit until it is released or destroyed. Not thread-safe.
class permit {
 public:
    /// An empty permit, which counts against no limit.
    permit() noexcept = default;
    permit(permit&&) noexcept = default;
    permit& operator=(permit&& other) noexcept {
        release();
        count_ = std::move(other.count_);
        return *this;
    }
    ~permit() { release(); }

    void release() noexcept {
        const auto count = std::exchange(count_, nullptr);
        if (!count) return;
        --count->held;
        if (count->on_release) count->on_release(count->held);
    }
    explicit operator bool() const noexcept { return count_ != nullptr; }

 private:
    friend class permit_counter;
    explicit permit(std::shared_ptr<permit_count> count) : count_(std::move(count)) {
        ++count_->held;
    }

    std::shared_ptr<permit_count> count_;
};

/// Counts the permits in use. Permits may outlive their counter.
class permit_counter {
 public:
    permit take_permit() const { return permit(count_); }
    std::size_t held() const noexcept { return count_->held; }
    /// Calls the handler after each release. The handler must not throw.
    void set_release_handler(std::function<void(std::size_t held)> handler) {
        count_->on_release = std::move(handler);
    }

 private:
    std::shared_ptr<permit_count> count_ = std::make_shared<permit_count>();
};

}  // namespace tandem::gateway

#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace tandem::gateway {

/// Counts against a limit until it is released or destroyed. Not thread-safe.
class permit {
 public:
    /// Empty: counts nothing.
    permit() noexcept = default;
    permit(permit&&) noexcept = default;
    permit& operator=(permit&& other) noexcept {
        release();
        held_ = std::move(other.held_);
        return *this;
    }
    ~permit() { release(); }

    void release() noexcept {
        if (const auto held = std::exchange(held_, nullptr)) --*held;
    }
    explicit operator bool() const noexcept { return held_ != nullptr; }

 private:
    friend class permit_counter;
    explicit permit(std::shared_ptr<std::size_t> held) : held_(std::move(held)) { ++*held_; }

    std::shared_ptr<std::size_t> held_;
};

/// Counts the permits in use. Permits may outlive their counter.
class permit_counter {
 public:
    permit take() const { return permit(held_); }
    std::size_t held() const noexcept { return *held_; }

 private:
    std::shared_ptr<std::size_t> held_ = std::make_shared<std::size_t>(0);
};

}  // namespace tandem::gateway

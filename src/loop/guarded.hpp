#pragma once

#include <mutex>
#include <utility>

namespace tandem::detail {

/// A value that several threads use, one at a time.
template <class T>
class guarded {
 public:
    template <class... Args>
    explicit guarded(Args&&... args) : value_(std::forward<Args>(args)...) {}

    guarded(const guarded&) = delete;
    guarded& operator=(const guarded&) = delete;

    /// Keeps others out as long as it is there: to the end of the expression, mostly. One thread
    /// must not have two for the same value, nor use afterwards what it got by one.
    class access {
     public:
        T* operator->() const noexcept { return &value_; }
        T& operator*() const noexcept { return value_; }

     private:
        friend class guarded;
        access(std::mutex& m, T& value) : lock_(m), value_(value) {}

        std::unique_lock<std::mutex> lock_;
        T& value_;
    };
    access lock() { return {mutex_, value_}; }

 private:
    std::mutex mutex_;
    T value_;
};

}  // namespace tandem::detail

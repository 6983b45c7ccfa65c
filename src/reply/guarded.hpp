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

    /// The value, for nobody else as long as this lives.
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

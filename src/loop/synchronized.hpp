#pragma once

#include <mutex>
#include <utility>

namespace tandem::detail {

/// A value that several threads use, protected by a mutex.
template <class T>
class synchronized {
 public:
    template <class... Args>
    explicit synchronized(Args&&... args) : value_(std::forward<Args>(args)...) {}

    /// Holds the lock as long as it exists, usually until the end of the expression. A thread must
    /// not hold two of these for the same value, nor keep a reference to the value afterwards.
    class access {
     public:
        T* operator->() const noexcept { return &value_; }
        T& operator*() const noexcept { return value_; }

     private:
        friend class synchronized;
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

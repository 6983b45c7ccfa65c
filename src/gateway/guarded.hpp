#pragma once

#include <mutex>
#include <utility>

namespace tandem::gateway {

/// A value that several loops use, each for a moment.
template <class T>
class guarded {
 public:
    /// Keeps the others out as long as it is there: to the end of the expression, mostly. No two of
    /// one thread for the same value; what was got by it is no more to be used afterwards.
    class access {
     public:
        T& operator*() const noexcept { return *value_; }
        T* operator->() const noexcept { return value_; }

     private:
        friend class guarded;
        access(std::mutex& m, T& value) : lock_(m), value_(&value) {}

        std::unique_lock<std::mutex> lock_;
        T* value_;
    };

    template <class... Arguments>
    explicit guarded(Arguments&&... a) : value_(std::forward<Arguments>(a)...) {}
    guarded(const guarded&) = delete;
    guarded& operator=(const guarded&) = delete;

    access lock() { return {mutex_, value_}; }

 private:
    std::mutex mutex_;
    T value_;
};

}  // namespace tandem::gateway

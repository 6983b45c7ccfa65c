#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>

#include <mutex>
#include <utility>

namespace boost::asio {
class io_context;
}

namespace tandem::detail {

/// Allows other threads to post to a strand whose execution context may be destroyed at any time.
/// Keeps the context busy until disconnect(). Thread-safe.
class strand_poster {
 public:
    explicit strand_poster(const boost::asio::any_io_executor& strand);

    /// Posts `f` to the strand. After disconnect(), destroys `f` instead, and returns false.
    template <class Function>
    bool post(Function f) {
        const std::lock_guard lock(mutex_);
        if (!strand_) return false;
        boost::asio::post(strand_, std::move(f));
        return true;
    }
    /// Whether the context was stopped and no thread runs it. Always false for a context other than
    /// io_context, and after disconnect().
    bool is_stopped() const;
    /// Releases the context, which is not used afterwards.
    void disconnect() noexcept;

 private:
    mutable std::mutex mutex_;
    boost::asio::any_io_executor strand_;
    boost::asio::io_context* context_ = nullptr;
};

}  // namespace tandem::detail

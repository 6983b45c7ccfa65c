#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>

#include <mutex>
#include <utility>

namespace boost::asio {
class io_context;
}

namespace tandem::detail {

/// The way of threads that do not run the loop to a strand on it, whose execution context may be
/// destroyed meanwhile. Keeps the context busy until cut(). Thread-safe.
class loop_link {
 public:
    explicit loop_link(const boost::asio::any_io_executor& strand);

    /// Runs `f` on the strand, never within this call. False once cut; `f` is destroyed then.
    template <class Function>
    bool post(Function f) {
        const std::lock_guard lock(mutex_);
        if (!strand_) return false;
        boost::asio::post(strand_, std::move(f));
        return true;
    }
    /// Nobody runs the context: it was stopped. Never true of a context that is no io_context, and
    /// once cut.
    bool is_stopped() const;
    /// Lets go of the context, of which nothing is touched afterwards.
    void cut() noexcept;

 private:
    mutable std::mutex mutex_;
    boost::asio::any_io_executor strand_;
    boost::asio::io_context* context_ = nullptr;
};

}  // namespace tandem::detail

#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <deque>
#include <memory>
#include <utility>

namespace tandem::transport {

class transfer;

/// The transfers that have something to report to their handlers. curl's callbacks only push;
/// deliver_all() is called after curl returns, or from the event loop. A handler posted by
/// deliver_soon() keeps the queue alive.
class delivery_queue : public std::enable_shared_from_this<delivery_queue> {
 public:
    explicit delivery_queue(boost::asio::any_io_executor executor)
        : executor_(std::move(executor)) {}

    void push(transfer& t);
    /// Delivers everything, including what is pushed during the call. If a handler throws, the
    /// exception propagates, and the event loop delivers the rest.
    void deliver_all();
    /// Posts a call of deliver_all() to the event loop, unless deliver_all() is already active.
    void deliver_soon();
    bool is_empty() const noexcept { return waiting_.empty(); }
    void clear() noexcept { waiting_.clear(); }

 private:
    void deliver_next();

    boost::asio::any_io_executor executor_;
    std::deque<std::shared_ptr<transfer>> waiting_;
    bool running_ = false;
};

}  // namespace tandem::transport

#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <deque>
#include <memory>
#include <utility>

namespace tandem::transport {

class transfer;

/// Exchanges that have something for their handlers. curl's callbacks only push; run() is called
/// when curl is done, or from the event loop. Shared with its queued handler.
class delivery_queue : public std::enable_shared_from_this<delivery_queue> {
 public:
    explicit delivery_queue(boost::asio::any_io_executor executor)
        : executor_(std::move(executor)) {}

    void push(transfer& t);
    /// Delivers all, what is pushed meanwhile included. An exception of a handler leaves it; the
    /// rest is delivered by the event loop then.
    void run();
    /// Has run() called from the event loop, unless it is running.
    void run_soon();
    void clear() noexcept { waiting_.clear(); }

 private:
    void deliver_next();

    boost::asio::any_io_executor executor_;
    std::deque<std::shared_ptr<transfer>> waiting_;
    bool running_ = false;
};

}  // namespace tandem::transport

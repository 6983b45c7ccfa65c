#include "transport/delivery_queue.hpp"

#include "transport/transfer.hpp"

#include <boost/asio/post.hpp>

namespace tandem::transport {

void delivery_queue::push(transfer& t) {
    if (t.queued_) return;
    waiting_.push_back(t.shared_from_this());
    t.queued_ = true;
}

void delivery_queue::run() {
    if (running_) return;
    running_ = true;
    // By index: a handler may start an exchange, or clear() the queue by destroying the transport.
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
        const auto next = std::move(waiting_[i]);
        next->queued_ = false;
        next->deliver();
    }
    waiting_.clear();
    running_ = false;
}

void delivery_queue::run_soon() {
    if (running_) return;
    boost::asio::post(executor_, [self = shared_from_this()] { self->run(); });
}

}  // namespace tandem::transport

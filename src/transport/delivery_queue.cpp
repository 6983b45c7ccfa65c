#include "transport/delivery_queue.hpp"

#include "transport/transfer.hpp"

#include <boost/asio/post.hpp>

namespace tandem::transport {

void delivery_queue::push(transfer& t) {
    if (t.queued_) return;
    waiting_.push_back(t.shared_from_this());
    t.queued_ = true;
}

void delivery_queue::deliver_all() {
    if (running_) return;
    running_ = true;
    try {
        while (!waiting_.empty()) deliver_next();
    } catch (...) {
        running_ = false;
        // Schedules the remaining deliveries, in case the caller catches the exception and runs the
        // event loop again.
        deliver_soon();
        throw;
    }
    running_ = false;
}

void delivery_queue::deliver_next() {
    // Leaves the queue first, because deliver() may start an exchange, or destroy the transport,
    // which clears the queue.
    const auto next = std::move(waiting_.front());
    waiting_.pop_front();
    next->queued_ = false;
    try {
        next->deliver();
    } catch (...) {
        if (next->handler_) push(*next);
        throw;
    }
}

void delivery_queue::deliver_soon() {
    if (running_) return;
    boost::asio::post(executor_, [self = shared_from_this()] { self->deliver_all(); });
}

}  // namespace tandem::transport

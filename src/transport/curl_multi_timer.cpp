#include "transport/curl_multi_timer.hpp"

#include "tandem/error.hpp"

#include <boost/asio/post.hpp>

#include <chrono>

namespace tandem::transport {

void curl_multi_timer::set(long milliseconds) {
    const auto generation = ++generation_;
    timer_.cancel();
    if (milliseconds < 0) return;
    auto self = shared_from_this();
    // curl must not be called from its own callback, so even an immediate timeout goes through the
    // loop.
    if (milliseconds == 0) {
        boost::asio::post(timer_.get_executor(), [self, generation] { self->fire(generation); });
        return;
    }
    timer_.expires_after(std::chrono::milliseconds(milliseconds));
    timer_.async_wait([self, generation](const error_code& ec) {
        if (!ec) self->fire(generation);
    });
}

void curl_multi_timer::close() {
    events_ = nullptr;
    timer_.cancel();
}

void curl_multi_timer::fire(std::uint64_t generation) {
    if (events_ && generation == generation_) events_->on_timeout();
}

}  // namespace tandem::transport

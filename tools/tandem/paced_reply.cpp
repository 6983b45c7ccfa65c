#include "paced_reply.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace tandem::command {
namespace {

using boost::asio::awaitable;
using boost::asio::redirect_error;
using boost::asio::use_awaitable;

}  // namespace

std::int64_t ns_of(clock::time_point t) {
    return std::chrono::nanoseconds(t.time_since_epoch()).count();
}

paced_reply::paced_reply(boost::asio::any_io_executor executor, tandem::reply reply,
                         turn_name where, speech_pace pace)
    : reply_(std::move(reply)),
      where_(where),
      pace_(pace),
      speech_timer_(executor),
      interrupt_timer_(executor) {}

void paced_reply::interrupt_after(duration d) {
    interrupt_timer_.expires_at(started_ + d);
    interrupt_timer_.async_wait([weak = weak_from_this()](const error_code& ec) {
        if (const auto self = weak.lock(); self && !ec) self->interrupt();
    });
}

void paced_reply::interrupt() {
    interrupted_ = true;
    reply_.interrupt();
    speech_timer_.cancel();
}

awaitable<std::optional<chunk>> paced_reply::next_chunk() {
    error_code ec;  // the reply's result tells it
    asked_ = clock::now();
    auto c = co_await reply_.async_next_chunk(redirect_error(use_awaitable, ec));
    came_ = clock::now();
    waited_ += came_ - asked_;
    co_return c;
}

chunk_event paced_reply::event_of(const chunk& c) const {
    return {.where = where_,
            .chunk = c,
            .t_ns = ns_of(came_),
            .at_ms = to_ms(came_ - started_),
            .gap_ms = to_ms(came_ - asked_),
            .speech_ms = to_ms(speaking_time(pace_, c.text))};
}

awaitable<void> paced_reply::speak(const chunk& c) {
    const auto time = speaking_time(pace_, c.text);
    if (time > duration{} && !interrupted_) {
        error_code ec;
        speech_timer_.expires_at(came_ + time);
        co_await speech_timer_.async_wait(redirect_error(use_awaitable, ec));
        spoken_ += clock::now() - came_;
    }
    reply_.continue_after(c.id);
}

end_event paced_reply::end() const {
    return {.where = where_,
            .result = reply_.result(),
            .t_ns = ns_of(clock::now()),
            .speech_ms = to_ms(spoken_),
            .gap_ms = to_ms(waited_)};
}

}  // namespace tandem::command

#include "run/paced_reply.hpp"

#include "text/url_text.hpp"

#include <algorithm>

namespace tandem::command {
std::int64_t to_monotonic_ns(clock::time_point t) {
    return std::chrono::nanoseconds(t.time_since_epoch()).count();
}

paced_reply::paced_reply(boost::asio::any_io_executor executor, tandem::reply reply,
                         reply_name where, speech_pace pace, duration continue_timeout,
                         conversation* talk)
    : reply_(std::move(reply)),
      where_(where),
      pace_(pace),
      continue_timeout_(continue_timeout),
      talk_(talk),
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
    if (speaking_) {
        const auto share =
            std::min(to_ms(clock::now() - chunk_arrived_at_) / to_ms(last_speech_), 1.0);
        heard_in_part_ = static_cast<int>(share * spoken_tokens_);
        if (talk_) talk_->heard_share(*speaking_, share);
    }
    if (talk_)
        talk_->interrupt();
    else
        reply_.interrupt();
    speech_timer_.cancel();
}

awaitable<std::optional<chunk>> paced_reply::next_chunk() {
    error_code ec;  // result() reports the error
    asked_ = clock::now();
    auto c = co_await reply_.async_next_chunk(redirect_error(use_awaitable, ec));
    chunk_arrived_at_ = clock::now();
    waited_ += chunk_arrived_at_ - asked_;
    if (c)
        if (const auto& server = slots_.add(*c); !server.empty()) server_ = server;
    if (!c) {
        count_heard_tokens();
        co_await fetch_server_url();
    }
    co_return c;
}

// Adds the heard tokens of the interrupted chunk, because the library counts only chunks with a
// continue.
void paced_reply::count_heard_tokens() {
    if (heard_in_part_ == 0) return;
    heard_result_ = reply_.result();
    heard_result_->usage.heard += heard_in_part_;
}

awaitable<void> paced_reply::fetch_server_url() {
    const auto& r = reply_.result();
    const auto last = r.timeline.empty() ? std::string() : server_of(r, r.timeline.back());
    if (!last.empty()) server_ = last;
    // If the reply sent no request, its server is that of its conversation.
    if (!talk_ || !server_.empty()) co_return;
    error_code ec;  // ignored: an ended conversation has no state
    const auto state = co_await talk_->async_state(redirect_error(use_awaitable, ec));
    if (!state.server.empty()) server_ = redact_url(state.server);
}

chunk_event paced_reply::make_chunk_event(const chunk& c) const {
    return {.where = where_,
            .chunk = c,
            .t_ns = to_monotonic_ns(chunk_arrived_at_),
            .at_ms = to_ms(chunk_arrived_at_ - started_),
            .gap_ms = to_ms(chunk_arrived_at_ - asked_),
            .speech_ms = to_ms(speaking_time(pace_, c.speech)),
            .server = server_};
}

awaitable<void> paced_reply::speak(const chunk& c) {
    last_speech_ = speaking_time(pace_, c.speech);
    if (last_speech_ > duration{} && !interrupted_) {
        speaking_ = c.id;
        spoken_tokens_ = c.tokens;
        co_await wait_for_speech(chunk_arrived_at_ + last_speech_);
        speaking_.reset();
        spoken_ += clock::now() - chunk_arrived_at_;
    }
    // An interrupted chunk gets no continue, because its rest was not heard.
    continued_ = clock::now();
    if (!interrupted_) reply_.continue_after(c.id);
}

// Polls the reply once the speech has lasted for continue_timeout, because the reply then fails,
// which must end the speech.
awaitable<void> paced_reply::wait_for_speech(clock::time_point end) {
    constexpr auto poll_interval = std::chrono::milliseconds(20);
    auto until = std::min(end, chunk_arrived_at_ + continue_timeout_);
    for (error_code ec; !ec && !reply_.ended(); until = std::min(end, until + poll_interval)) {
        speech_timer_.expires_at(until);
        co_await speech_timer_.async_wait(redirect_error(use_awaitable, ec));
        if (until == end) co_return;
    }
}

end_event paced_reply::make_end_event() const {
    const auto& result = this->result();
    const bool too_slow =
        result.error == errc::continue_timeout && last_speech_ > continue_timeout_;
    return {
        .where = where_,
        .result = result,
        .t_ns = to_monotonic_ns(clock::now()),
        .speech_ms = to_ms(spoken_),
        .gap_ms = to_ms(waited_),
        .hint = too_slow ? describe_too_slow_speech(pace_, last_speech_, continue_timeout_) : "",
        .server = server_,
        .slots = slots_.split_by_slot(result)};
}

}  // namespace tandem::command

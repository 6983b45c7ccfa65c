#include "gateway/whole_reply.hpp"

#include "reply/clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <iterator>
#include <utility>

namespace tandem::gateway {
namespace {

namespace asio = boost::asio;
using asio::awaitable;

api_error broken() {
    return {.status = 500, .type = "server_error", .message = "the gateway could not go on"};
}

}  // namespace

struct whole_reply::waiter {
    explicit waiter(const asio::any_io_executor& loop)
        : told(loop, asio::steady_timer::time_point::max()) {}

    asio::steady_timer told;
    bool is_waiting = true;
};

whole_reply::whole_reply(gateway_core& core, question_id question, reply_order order,
                         conversation talk)
    : core_(core.shared_from_this()),
      question_(question),
      pin_(std::move(order.pin)),
      model_(order.model->name),
      request_id_(std::move(order.request_id)),
      bytes_(bytes_of(order)),
      calls_(std::move(order.calls)),
      talk_(std::move(talk)),
      reply_(talk_.stream(std::move(order.options), stream_by::chunk)) {}

std::shared_ptr<whole_reply> whole_reply::begin(gateway_core& core, question_id question,
                                                reply_order order) {
    auto talk = open(core.places, order, detail::now());
    std::shared_ptr<whole_reply> r(
        new whole_reply(core, question, std::move(order), std::move(talk)));
    core.whole_replies[question] = r;
    asio::co_spawn(
        core.executor, [r] { return r->run(); },
        [r](const std::exception_ptr& e) {
            if (!e) return;
            r->error_ = broken();
            r->tell();
        });
    return r;
}

awaitable<void> whole_reply::run() {
    for (;;) {
        error_code ec;
        const auto piece =
            co_await reply_.async_next_chunk(asio::redirect_error(asio::use_awaitable, ec));
        if (!piece) break;
        reply_.continue_after(piece->id);
        take(calls_.feed(piece->text));
        if (calls_.is_full()) reply_.interrupt();
    }
    take(calls_.finish());
    warn_of(core_->options.service.server.logger, calls_.fault(), model_, request_id_);
    finish();
    tell();
}

void whole_reply::take(text_and_calls read) {
    read_.text += read.text;
    std::ranges::move(read.calls, std::back_inserter(read_.calls));
}

void whole_reply::finish() {
    const auto& result = reply_.result();
    keep_place(core_->places, pin_, std::move(talk_), bytes_, result, detail::now());
    if (result.finish_reason == finish_reason::error) {
        error_ = error_of(result.error, result.diagnostics);
        return;
    }
    read_.reasoning = result.reasoning;
    read_.reason = calls_.reason(result.finish_reason);
    read_.usage = usage_of(result.usage);
    answer_ = std::make_shared<const finished_answer>(std::move(read_));
}

void whole_reply::tell() {
    core_->answers.answered(detail::now(), question_, answer_);
    core_->whole_replies.erase(question_);
    if (!waiters_.empty()) payer_ = waiters_.front();
    for (auto* w : waiters_) w->told.cancel();
}

awaitable<bool> whole_reply::wait(http_exchange& exchange) {
    waiter w(core_->executor);
    waiters_.push_back(&w);
    exchange.when_gone([this, &w] { left(w); });
    while (!has_ended() && w.is_waiting) {
        error_code ec;
        co_await w.told.async_wait(asio::redirect_error(asio::use_awaitable, ec));
    }
    exchange.when_gone(nullptr);
    std::erase(waiters_, &w);
    co_return payer_ == &w;
}

// The last one stays until the reply has ended, and so learns what it cost.
void whole_reply::left(waiter& w) {
    if (core_->answers.leave(question_)) return reply_.interrupt();
    if (has_ended()) return;
    w.is_waiting = false;
    std::erase(waiters_, &w);
    w.told.cancel();
}

}  // namespace tandem::gateway

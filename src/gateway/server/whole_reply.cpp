#include "gateway/server/whole_reply.hpp"

#include "loop/clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace tandem::gateway {
namespace {

namespace asio = boost::asio;
using asio::awaitable;

bool is_same(const std::weak_ptr<void>& a, const std::shared_ptr<void>& b) {
    return !a.owner_before(b) && !b.owner_before(a);
}

}  // namespace

/// Of one exchange, and on its loop.
struct whole_reply::waiter {
    explicit waiter(const asio::any_io_executor& loop)
        : told(loop, asio::steady_timer::time_point::max()) {}

    asio::steady_timer told;
    bool is_waiting = true;
};

void whole_reply::waiters::erase(const std::shared_ptr<waiter>& w) {
    std::erase_if(all, [&](const known_waiter& k) { return is_same(k.there, w); });
}

// Joiners may have come to wait before who asked first.
void whole_reply::waiters::choose_payer() {
    if (all.empty()) return;
    const auto first = std::ranges::find_if(all, &known_waiter::is_first);
    payer = (first != all.end() ? first : all.begin())->there;
}

whole_reply::whole_reply(gateway_loop& loop, question_id question)
    : loop_(loop.handle()), question_(question) {}

void whole_reply::start(reply_order order) try {
    talk_ = open(loop_->core.places, order, loop_->number, detail::now());
    bytes_ = bytes_of(order);
    pin_ = std::move(order.pin);
    model_ = order.model->name;
    request_id_ = std::move(order.request_id);
    calls_ = called_text(std::move(order.calls));
    reply_ = talk_->stream(std::move(order.options), stream_by::chunk);
    asio::co_spawn(
        loop_->executor, [self = shared_from_this()] { return self->run(); },
        [self = shared_from_this()](const std::exception_ptr& e) {
            if (e) self->broke();
        });
} catch (...) {
    broke();
    throw;
}

void whole_reply::broke() {
    error_ = gateway_broken();
    tell();
}

awaitable<void> whole_reply::run() {
    for (;;) {
        error_code ec;
        const auto piece =
            co_await reply_->async_next_chunk(asio::redirect_error(asio::use_awaitable, ec));
        if (!piece) break;
        reply_->continue_after(piece->id);
        take(calls_.feed(piece->text));
        if (calls_.is_done()) reply_->interrupt();
    }
    take(calls_.finish(reply_->result().reasoning));
    warn_of(loop_->core.options.service.server.logger, calls_.fault(), model_, request_id_);
    finish();
    tell();
}

void whole_reply::take(text_and_calls read) {
    read_.text += read.text;
    std::ranges::move(read.calls, std::back_inserter(read_.calls));
}

void whole_reply::finish() {
    const auto& result = reply_->result();
    keep_place(loop_->core.places, pin_, *std::move(talk_), bytes_, result, detail::now());
    if (result.finish_reason == finish_reason::error) {
        error_ = error_of(result.error, result.diagnostics);
        return;
    }
    if ((error_ = calls_.error(result.finish_reason))) return;
    read_.reasoning = result.reasoning.substr(0, calls_.reasoning_bytes());
    read_.reason = calls_.reason(result.finish_reason);
    read_.usage = usage_of(result.usage);
    answer_ = std::make_shared<const finished_answer>(std::move(read_));
}

// Nobody joins any more.
void whole_reply::close_question() {
    if (question_ == no_question) return;
    const auto questions = loop_->core.questions.lock();
    questions->answers.answered(detail::now(), question_, answer_);
    questions->replies.erase(question_);
}

// Who joins before the question is closed sees that the reply has ended.
void whole_reply::tell() {
    std::vector<known_waiter> all;
    {
        const auto waiting = waiting_.lock();
        waiting->has_ended = true;
        waiting->choose_payer();
        all.swap(waiting->all);
    }
    close_question();
    for (const auto& w : all)
        loop_->tell(*w.loop, [there = w.there](gateway_loop&) {
            if (const auto one = there.lock()) one->told.cancel();
        });
}

awaitable<bool> whole_reply::wait(gateway_loop& loop, http_exchange& exchange, bool is_first) {
    const auto w = std::make_shared<waiter>(loop.executor);
    waiting_.lock()->all.push_back({&loop, w, is_first});
    exchange.when_gone([this, w] { left(w); });
    while (w->is_waiting && !has_ended()) {
        error_code ec;
        co_await w->told.async_wait(asio::redirect_error(asio::use_awaitable, ec));
    }
    exchange.when_gone(nullptr);
    co_return collect(w);
}

bool whole_reply::leave_question() {
    return question_ == no_question || loop_->core.questions.lock()->answers.leave(question_);
}

// The last one stays until the reply has ended, and so learns what it cost. Who asked first leaves
// once the reply has begun: until then nobody is the last one.
void whole_reply::left(const std::shared_ptr<waiter>& w) {
    if (leave_question()) return reply_->interrupt();
    const auto waiting = waiting_.lock();
    if (waiting->has_ended) return;
    waiting->erase(w);
    w->is_waiting = false;
    w->told.cancel();
}

bool whole_reply::collect(const std::shared_ptr<waiter>& w) {
    const auto waiting = waiting_.lock();
    waiting->erase(w);
    return is_same(waiting->payer, w);
}

}  // namespace tandem::gateway

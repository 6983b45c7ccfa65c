#include "gateway/server/buffered_reply.hpp"

#include "loop/clock.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace tandem::gateway {

buffered_reply::buffered_reply(gateway_core& core, generation_job order)
    : core_(core),
      pin_(order.pin),
      bytes_(bytes_of(order)),
      calls_(order.calls),
      talk_(open(core.places, order, detail::now())),
      reply_(talk_.stream(std::move(order.options), stream_by::chunk)) {}

auto buffered_reply::read(http_exchange& exchange)
    -> boost::asio::awaitable<std::variant<finished_answer, api_error>> {
    exchange.on_disconnect([this] { reply_.interrupt(); });
    for (;;) {
        error_code ec;
        const auto piece = co_await reply_.async_next_chunk(
            boost::asio::redirect_error(boost::asio::use_awaitable, ec));
        if (!piece) break;
        reply_.continue_after(piece->id);
        take(calls_.feed(piece->text));
        if (calls_.is_done()) reply_.interrupt();
    }
    exchange.on_disconnect(nullptr);
    take(calls_.finish(reply_.result().reasoning));
    co_return finish();
}

void buffered_reply::take(text_and_calls read) {
    answer_.text += read.text;
    std::ranges::move(read.calls, std::back_inserter(answer_.calls));
}

std::variant<finished_answer, api_error> buffered_reply::finish() {
    const auto& result = reply_.result();
    remember_affinity(core_.places, pin_, std::move(talk_), bytes_, result, detail::now());
    if (result.finish_reason == finish_reason::error)
        return to_api_error(result.error, result.diagnostics);
    if (auto error = calls_.error(result.finish_reason)) return *std::move(error);
    answer_.reasoning = result.reasoning.substr(0, calls_.reasoning_bytes());
    answer_.reason = calls_.reason(result.finish_reason);
    answer_.usage = to_answer_usage(result.usage);
    return std::move(answer_);
}

}  // namespace tandem::gateway

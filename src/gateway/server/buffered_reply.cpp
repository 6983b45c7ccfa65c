#include "gateway/server/buffered_reply.hpp"

#include "gateway/server/reply_delivery.hpp"
#include "loop/clock.hpp"

#include "tandem/reply.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace tandem::gateway {

boost::asio::awaitable<std::optional<finished_answer>> generate_answer(http_exchange& exchange,
                                                                       gateway_core& core,
                                                                       generation_job order,
                                                                       admitted& who) {
    const auto bytes = bytes_of(order);
    auto talk = open(core.places, order, detail::now());
    auto reply = talk.stream(std::move(order.options), stream_by::chunk);
    finished_answer answer;
    exchange.on_disconnect([&reply] { reply.interrupt(); });
    for (;;) {
        error_code ec;
        const auto piece = co_await reply.async_next_chunk(
            boost::asio::redirect_error(boost::asio::use_awaitable, ec));
        if (!piece) break;
        reply.continue_after(piece->id);
        answer.text += piece->text;
    }
    exchange.on_disconnect(nullptr);
    const auto& result = reply.result();
    remember_affinity(core.places, order.pin, std::move(talk), bytes, result, detail::now());
    charge(exchange, core, *order.model, who, reply, false);
    who.release();
    if (result.finish_reason == finish_reason::error) {
        co_await exchange.send(make_reply_error(result));
        co_return std::nullopt;
    }
    answer.reasoning = result.reasoning;
    take_end(answer, core, result);
    co_return answer;
}

}  // namespace tandem::gateway

#include "gateway/server/buffered_reply.hpp"

#include "gateway/answers/random_ids.hpp"
#include "loop/clock.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace tandem::gateway {

buffered_reply::buffered_reply(gateway_core& core, generation_job order)
    : core_(core),
      pin_(order.pin),
      bytes_(bytes_of(order)),
      talk_(open(core.places, order, detail::now())),
      reply_(talk_.stream(std::move(order.options), stream_by::chunk)) {}

auto buffered_reply::read(answer_client& client)
    -> boost::asio::awaitable<std::variant<finished_answer, api_error>> {
    client.on_disconnect([this] { reply_.interrupt(); });
    for (;;) {
        error_code ec;
        const auto piece = co_await reply_.async_next_chunk(
            boost::asio::redirect_error(boost::asio::use_awaitable, ec));
        if (!piece) break;
        reply_.continue_after(piece->id);
        answer_.text += piece->text;
    }
    client.on_disconnect(nullptr);
    co_return finish();
}

std::variant<finished_answer, api_error> buffered_reply::finish() {
    const auto& result = reply_.result();
    remember_affinity(core_.places, pin_, std::move(talk_), bytes_, result, detail::now());
    if (result.finish_reason == finish_reason::error) return make_reply_error(result);
    answer_.reasoning = result.reasoning;
    answer_.calls = result.calls;
    set_call_ids(answer_.calls, core_.random());
    answer_.reason = result.finish_reason;
    answer_.usage = to_answer_usage(result);
    return std::move(answer_);
}

}  // namespace tandem::gateway

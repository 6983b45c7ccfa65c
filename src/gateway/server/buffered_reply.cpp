#include "gateway/server/buffered_reply.hpp"

#include "gateway/answers/random_ids.hpp"
#include "gateway/json/api_error.hpp"
#include "gateway/server/reply_delivery.hpp"
#include "loop/clock.hpp"

#include "tandem/conversation.hpp"
#include "tandem/reply.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <variant>

namespace tandem::gateway {
namespace {

/// Reads a reply to its end before responding.
class buffered_reply {
 public:
    /// Starts the reply.
    buffered_reply(gateway_core& core, generation_job order);

    /// Reads until the reply ends; if the client disconnects, cancels the reply. Returns the answer
    /// or an error.
    boost::asio::awaitable<std::variant<finished_answer, api_error>> read(answer_client& client);

    // Valid after read().
    /// The reply, for its usage.
    const reply& itself() const noexcept { return reply_; }

 private:
    std::variant<finished_answer, api_error> finish();

    gateway_core& core_;
    std::string pin_;
    std::size_t bytes_;
    conversation talk_;
    reply reply_;
    finished_answer answer_{};
};

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

}  // namespace

boost::asio::awaitable<std::optional<finished_answer>> generate_answer(http_exchange& exchange,
                                                                       gateway_core& core,
                                                                       generation_job order,
                                                                       admitted& who) {
    const auto& model = *order.model;
    buffered_reply reply(core, std::move(order));
    auto read = co_await reply.read(exchange);
    charge(exchange, core, model, who, reply.itself(), false);
    who.release();
    if (auto* const answer = std::get_if<finished_answer>(&read)) co_return std::move(*answer);
    co_await exchange.send(std::get<api_error>(read));
    co_return std::nullopt;
}

}  // namespace tandem::gateway

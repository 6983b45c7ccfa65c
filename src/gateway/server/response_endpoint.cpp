#include "gateway/answers/random_ids.hpp"
#include "gateway/answers/response_object.hpp"
#include "gateway/policy/prompt_texts.hpp"
#include "gateway/requests/response_request.hpp"
#include "gateway/server/buffered_reply.hpp"
#include "gateway/server/endpoints.hpp"
#include "gateway/server/reply_delivery.hpp"
#include "gateway/sessions/generation_job.hpp"
#include "gateway/sessions/kept_responses.hpp"
#include "loop/clock.hpp"

#include "tandem/conversation.hpp"

#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <variant>

// The handler of /v1/responses. As for a chat completion, each request is a separate conversation,
// but the gateway may keep the history.
namespace tandem::gateway {
namespace {

using boost::asio::awaitable;

std::string make_table_key(const admitted& who, const std::string& id) {
    return who.key_name() + '\n' + id;
}

/// Adds the history. A response that may be continued identifies the conversation, unless the
/// client does.
std::optional<api_error> resolve_history(gateway_core& core, const admitted& who,
                                         const std::string& id, response_request& request) {
    const auto find = [&](const std::string& response) {
        return core.responses.find(detail::now(), make_table_key(who, response));
    };
    if (auto error = resolve_references(request, find)) return error;
    if (request.previous.empty()) {
        if (request.affinity_key.empty() && request.store) request.affinity_key = id;
        return std::nullopt;
    }
    const auto* const before = find(request.previous);
    if (!before) return make_no_response_error(request.previous);
    return continue_response(request, *before, core.defaults().max_messages);
}

/// What another request needs to continue the response.
class response_keeper {
 public:
    response_keeper(gateway_core& core, const admitted& who, std::string id,
                    response_request request)
        : core_(core), key_(make_table_key(who, id)), request_(std::move(request)) {}

    void keep(const finished_answer& answer, std::size_t bytes) {
        if (!request_.store || !is_complete(answer)) return;
        auto& said = request_.messages;
        if (request_.has_instructions) said.erase(said.begin());
        said.push_back({.role = "assistant", .content = answer.text, .tool_calls = answer.calls});
        core_.responses.put(detail::now(), key_,
                            {std::move(said), std::move(request_.affinity_key)},
                            bytes + estimate_bytes(answer));
    }

 private:
    gateway_core& core_;
    std::string key_;
    response_request request_;
};

generation_job order_of(const http_exchange& exchange, const gateway_core& core,
                        served_model& model, const response_request& request, const admitted& who) {
    generation_job order{.model = &model,
                         .setup = core.options.service.conversation,
                         .pin = make_affinity_key(who, request),
                         .options = request.options};
    order.setup.messages = request.messages;
    order.options.traceparent = exchange.traceparent();
    order.options.priority = who.priority();
    return order;
}

awaitable<void> stream_response(http_exchange& exchange, gateway_core& core, response_head head,
                                stream_by unit, generation_job order, response_keeper keeper,
                                admitted& who) {
    auto& model = *order.model;
    const auto bytes = bytes_of(order);
    auto talk = open(core.places, order, detail::now());
    auto reply = talk.stream(order.options, unit);
    response_stream events(std::move(head));
    streamed_reply answer(exchange, core, model, events, unit);
    // Before the client can know of the end and continue the response.
    answer.on_finished([&](const finished_answer& a) { keeper.keep(a, bytes); });
    co_await answer.run(reply, who);
    remember_affinity(core.places, order.pin, std::move(talk), bytes, reply.result(),
                      detail::now());
}

awaitable<void> send_response(http_exchange& exchange, gateway_core& core, response_head head,
                              generation_job order, response_keeper keeper, admitted& who) {
    const auto& model = *order.model;
    const auto bytes = bytes_of(order);
    buffered_reply reply(core, std::move(order));
    const auto read = co_await reply.read(exchange);
    charge(exchange, core, model, who, reply.itself(), false);
    who.release();
    if (const auto* const error = std::get_if<api_error>(&read))
        co_return co_await exchange.send(*error);
    const auto& answer = std::get<finished_answer>(read);
    if (!is_complete(answer)) co_return co_await exchange.send(make_cut_short_error(answer.reason));
    keeper.keep(answer, bytes);
    co_await exchange.send(200, encode_response(head, answer));
}

}  // namespace

awaitable<void> answer_response(http_exchange& exchange, gateway_core& core, admitted who) {
    auto read = read_response_request(exchange.body(), core.defaults());
    if (const auto* error = std::get_if<api_error>(&read))
        co_return co_await refuse(exchange, who, *error);
    auto& request = std::get<response_request>(read);
    response_head head;
    head.id = make_random_id("resp_", core.random);
    head.created = std::time(nullptr);
    if (const auto error = resolve_history(core, who, head.id, request))
        co_return co_await refuse(exchange, who, *error);
    const auto texts = collect_texts(request.messages, {}, request.options);
    if (const auto error = check_prompt(exchange, core, texts))
        co_return co_await refuse(exchange, who, *error);
    const auto found = core.models.find(request.model, who);
    if (const auto* error = std::get_if<api_error>(&found))
        co_return co_await refuse(exchange, who, *error);
    auto& model = *std::get<served_model*>(found);
    if (const auto error = take_adapters(core, model, request))
        co_return co_await refuse(exchange, who, *error);
    auto order = order_of(exchange, core, model, request, who);
    if (const auto error = check_door(core, order))
        co_return co_await refuse(exchange, who, *error);
    head.model = model.name;
    head.repeated = request.repeated;
    const auto unit = request.stream_by;
    const bool is_streamed = request.stream;
    response_keeper keeper(core, who, head.id, std::move(request));
    if (is_streamed)
        co_await stream_response(exchange, core, std::move(head), unit, std::move(order),
                                 std::move(keeper), who);
    else
        co_await send_response(exchange, core, std::move(head), std::move(order), std::move(keeper),
                               who);
}

}  // namespace tandem::gateway

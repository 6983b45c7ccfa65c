#include "gateway/server/response_answer.hpp"

#include "gateway/answers/random_ids.hpp"
#include "gateway/answers/response_object.hpp"
#include "gateway/policy/prompt_texts.hpp"
#include "gateway/server/endpoints.hpp"
#include "gateway/server/reply_delivery.hpp"
#include "gateway/server/request_trace.hpp"
#include "gateway/sessions/conversation_sharing.hpp"
#include "gateway/sessions/generation_job.hpp"
#include "loop/clock.hpp"

#include "tandem/conversation.hpp"

#include <ctime>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

// Answers requests to /v1/responses. Like a chat completion, each request is a separate
// conversation, but the gateway may keep the history.
namespace tandem::gateway {
namespace {

using boost::asio::awaitable;

// Beyond this size, only the table keeps a socket's history, because the table's size is limited.
constexpr std::size_t max_socket_bytes = std::size_t{4} << 20;

std::string make_table_key(const admitted_request& who, const std::string& id) {
    return who.key_name() + '\n' + id;
}

bool is_newest(const socket_response* newest, const std::string& id) {
    return newest && !newest->id.empty() && newest->id == id;
}

const kept_response* find_response(gateway_core& core, const admitted_request& who,
                                   const socket_response* newest, const std::string& id) {
    if (is_newest(newest, id)) return &newest->kept;
    return core.responses.find(detail::now(), make_table_key(who, id));
}

/// Fetches the responses that the request refers to, if other gateways have them. Returns an error
/// if the store did not answer. Stops at the first missing response, because the request fails
/// without it.
awaitable<std::optional<api_error>> async_fetch_history(gateway_core& core,
                                                        const admitted_request& who,
                                                        const response_request& request,
                                                        const socket_response* newest) {
    const auto is_here = [&](const std::string& id) {
        return find_response(core, who, newest, id) != nullptr;
    };
    for (const auto& id : list_responses_to_fetch(request, is_here)) {
        const auto search = co_await async_fetch_response(core, make_table_key(who, id));
        if (search == response_search::no_answer) co_return make_store_unavailable_error(request);
        if (search == response_search::not_found) break;
    }
    co_return std::nullopt;
}

/// Adds the history. If the client does not identify the conversation, the id of a response that
/// may be continued does.
std::optional<api_error> resolve_history(gateway_core& core, const admitted_request& who,
                                         const std::string& id, response_request& request,
                                         const socket_response* newest) {
    const auto find = [&](const std::string& response) {
        return find_response(core, who, newest, response);
    };
    const auto max_bytes = core.options.prompts.max_bytes > 0 ? core.options.prompts.max_bytes
                                                              : core.options.max_body_bytes;
    if (auto error = resolve_references(request, max_bytes, find)) return error;
    if (request.previous.empty()) {
        if (request.affinity_key.empty() && (request.store || newest)) request.affinity_key = id;
        return std::nullopt;
    }
    const auto* const before = find(request.previous);
    if (!before) return make_response_not_found_error(request.previous);
    return prepend_earlier_messages(request, *before, core.defaults().max_messages);
}

/// Keeps the state from which another request can continue the response.
class response_keeper {
 public:
    response_keeper(gateway_core& core, const admitted_request& who, std::string id,
                    response_request request, socket_response* newest)
        : core_(core),
          key_(make_table_key(who, id)),
          id_(std::move(id)),
          request_(std::move(request)),
          newest_(newest) {}

    void keep(const finished_answer& answer, std::size_t bytes) {
        if (!is_complete(answer)) return;
        request_.messages.push_back(
            {.role = "assistant", .content = answer.text, .tool_calls = answer.calls});
        keep_messages(bytes + estimate_bytes(answer));
    }
    void keep_messages(std::size_t bytes) {
        auto& said = request_.messages;
        if (request_.has_instructions) said.erase(said.begin());
        kept_response kept{std::move(said), std::move(request_.affinity_key)};
        if (newest_ && bytes <= max_socket_bytes)
            *newest_ = {newest_->running_id, id_, kept, bytes, request_.store};
        if (request_.store) keep_response(core_, key_, std::move(kept), bytes);
    }

 private:
    gateway_core& core_;
    std::string key_;
    std::string id_;
    response_request request_;
    socket_response* newest_;
};

/// A request that passed all checks.
struct response_order {
    response_head head;
    generation_job job;
    tandem::stream_by unit;
    bool is_streamed;
    bool generates;
    response_keeper keeper;
};

generation_job make_job(answer_client& client, const gateway_core& core, served_model& model,
                        const response_request& request, const admitted_request& who) {
    generation_job job{.model = &model,
                       .setup = core.options.service.conversation,
                       .pin = make_affinity_key(who, request),
                       .options = request.options};
    job.setup.messages = request.messages;
    job.setup.trim = request.trim;
    propagate_trace(client, core, job);
    job.options.priority = who.priority();
    return job;
}

awaitable<std::variant<response_order, api_error>> async_check_request(answer_client& client,
                                                                       gateway_core& core,
                                                                       const admitted_request& who,
                                                                       response_request request,
                                                                       socket_response* newest) {
    if (auto error = co_await async_fetch_history(core, who, request, newest))
        co_return *std::move(error);
    response_head head{.id = make_random_id("resp_", core.random), .created = std::time(nullptr)};
    if (auto error = resolve_history(core, who, head.id, request, newest))
        co_return *std::move(error);
    const auto texts = collect_texts(request.messages, {}, request.options);
    if (auto error = check_prompt(client, core, texts)) co_return *std::move(error);
    const auto found = core.models.find(request.model, who);
    if (const auto* error = std::get_if<api_error>(&found)) co_return *error;
    auto& model = *std::get<served_model*>(found);
    if (auto error = set_adapter_scales(core, model, request)) co_return *std::move(error);
    auto job = make_job(client, core, model, request, who);
    co_await async_fetch_last_server(core, job.pin);
    if (auto error = check_session_admission(core, job)) co_return *std::move(error);
    head.model = model.name;
    head.repeated = request.repeated;
    response_order order{.head = head,
                         .job = std::move(job),
                         .unit = request.stream_by,
                         .is_streamed = request.stream,
                         .generates = request.generate,
                         .keeper = {core, who, head.id, std::move(request), newest}};
    co_return order;
}

/// Evaluates the prompt in the conversation's slot. A request that continues the response finds the
/// prompt there.
void warm_conversation(answer_client& client, gateway_core& core, response_order& order) {
    auto& job = order.job;
    fill_audit_record(client, *job.model, {}, finish_reason::eos);
    const auto bytes = estimate_job_bytes(job);
    const auto now = detail::now();
    auto talk = std::make_shared<conversation>(open_job_conversation(core.places, job, now));
    talk->warm(job.options);
    if (!job.pin.empty()) {
        const auto* const known = core.places.find(now, job.pin);
        auto server = known ? known->server : std::string();
        core.places.put(now, job.pin, {std::move(server), std::move(talk)}, bytes);
    }
    order.keeper.keep_messages(bytes);
}

awaitable<void> stream_response(answer_client& client, gateway_core& core, response_order& order,
                                response_stream& events, std::string first, admitted_request& who) {
    auto& job = order.job;
    auto& model = *job.model;
    const auto bytes = estimate_job_bytes(job);
    auto talk = open_job_conversation(core.places, job, detail::now());
    auto reply = talk.stream(job.options, order.unit);
    streamed_reply answer(client, core, model, events, order.unit);
    answer.send_first(std::move(first));
    answer.on_finished([&](const finished_answer& a) {
        order.keeper.keep(a, bytes);
        remember_last_server(core, job.pin, std::move(talk), bytes, reply.result());
    });
    co_await answer.run(reply, who);
}

awaitable<void> send_response(http_exchange& exchange, gateway_core& core, response_order& order,
                              admitted_request& who) {
    const auto bytes = estimate_job_bytes(order.job);
    const auto answer = co_await generate_answer(exchange, core, std::move(order.job), who);
    if (!answer) co_return;
    if (!is_complete(*answer))
        co_return co_await exchange.send(make_cut_short_error(answer->reason));
    order.keeper.keep(*answer, bytes);
    co_await exchange.send(200, encode_response(order.head, *answer));
}

awaitable<void> stream_warm_response(answer_client& client, response_stream& events,
                                     admitted_request& who) {
    std::string out;
    events.end(finish_reason::eos, {}, out);
    who.release();
    co_await client.begin_stream();
    co_await client.write(out);
    co_await client.end_stream();
}

awaitable<void> answer_request(http_exchange& exchange, gateway_core& core, response_order& order,
                               admitted_request& who) {
    response_stream events(order.head, event_format::server_sent);
    if (!order.generates) {
        warm_conversation(exchange, core, order);
        if (order.is_streamed) co_return co_await stream_warm_response(exchange, events, who);
        who.release();
        // A named object, because GCC 12 destroys aggregate temporaries in a co_await twice.
        const finished_answer nothing{.reason = finish_reason::eos};
        co_return co_await exchange.send(200, encode_response(order.head, nothing));
    }
    if (order.is_streamed)
        co_await stream_response(exchange, core, order, events, {}, who);
    else
        co_await send_response(exchange, core, order, who);
}

}  // namespace

awaitable<void> answer_response(http_exchange& exchange, gateway_core& core, admitted_request who) {
    auto read = read_response_request(exchange.body(), core.defaults());
    if (const auto* error = std::get_if<api_error>(&read))
        co_return co_await send_refusal(exchange, who, *error);
    auto made = co_await async_check_request(exchange, core, who,
                                             std::get<response_request>(std::move(read)), nullptr);
    if (const auto* error = std::get_if<api_error>(&made))
        co_return co_await send_refusal(exchange, who, *error);
    co_await answer_request(exchange, core, std::get<response_order>(made), who);
}

awaitable<void> answer_on_socket(answer_client& client, gateway_core& core,
                                 response_request request, admitted_request& who,
                                 socket_response& newest) {
    auto made = co_await async_check_request(client, core, who, std::move(request), &newest);
    if (const auto* error = std::get_if<api_error>(&made))
        co_return co_await send_refusal(client, who, *error);
    auto& order = std::get<response_order>(made);
    response_stream events(order.head, event_format::lines);
    if (!order.generates) {
        warm_conversation(client, core, order);
        co_return co_await stream_warm_response(client, events, who);
    }
    // The client needs the id to cancel the response.
    std::string first;
    events.begin(first);
    newest.running_id = order.head.id;
    co_await stream_response(client, core, order, events, std::move(first), who);
}

void keep_for_reconnect(gateway_core& core, const admitted_request& who,
                        const socket_response& newest) {
    if (newest.is_stored)
        keep_response(core, make_table_key(who, newest.id), newest.kept, newest.bytes);
}

}  // namespace tandem::gateway

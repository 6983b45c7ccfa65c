#include "gateway/answers/chat_answer.hpp"
#include "gateway/answers/random_ids.hpp"
#include "gateway/answers/request_digest.hpp"
#include "gateway/policy/prompt_texts.hpp"
#include "gateway/requests/chat_request.hpp"
#include "gateway/requests/completion_request.hpp"
#include "gateway/server/endpoints.hpp"
#include "gateway/server/reply_delivery.hpp"
#include "gateway/server/request_trace.hpp"
#include "gateway/sessions/conversation_sharing.hpp"
#include "gateway/sessions/generation_job.hpp"
#include "loop/clock.hpp"

#include "tandem/conversation.hpp"

#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// Handlers of OpenAI's API. Each request is a separate conversation; the client sends its history.
namespace tandem::gateway {
namespace {

using boost::asio::awaitable;

answer_head head_of(gateway_core& core, const served_model& model, answer_kind kind) {
    return {.kind = kind,
            .id = make_random_id(kind == answer_kind::chat ? "chatcmpl-" : "cmpl-", core.random),
            .created = std::time(nullptr),
            .model = model.name};
}

awaitable<void> answer_as_stream(http_exchange& exchange, gateway_core& core, answer_kind kind,
                                 const generation_request& request, generation_job job,
                                 admitted_request& who) {
    co_await async_fetch_last_server(core, job.pin);
    if (const auto error = check_session_admission(core, job))
        co_return co_await send_refusal(exchange, who, *error);
    auto& model = *job.model;
    const auto bytes = estimate_job_bytes(job);
    auto talk = open_job_conversation(core.places, job, detail::now());
    auto reply = talk.stream(job.options, request.stream_by);
    answer_stream events(head_of(core, model, kind), request.include_usage);
    streamed_reply answer(exchange, core, model, events, request.stream_by);
    answer.on_finished([&](const finished_answer&) {
        remember_last_server(core, job.pin, std::move(talk), bytes, reply.result());
    });
    co_await answer.run(reply, who);
}

// --- as one body

constexpr std::string_view cache_header = "X-Tandem-Cache";

// Reports all prompt tokens of a cached answer as cached, and gives its calls new ids.
finished_answer make_repeated_answer(finished_answer answer, gateway_core& core) {
    answer.usage.cached_tokens = answer.usage.prompt_tokens;
    answer.usage.cache_break.reset();
    set_call_ids(answer.calls, core.random());
    return answer;
}

awaitable<void> send_whole(http_exchange& exchange, const answer_head& head,
                           const finished_answer& answer) {
    auto body = encode_complete_answer(head, answer);
    if (const auto* error = std::get_if<api_error>(&body)) {
        co_await exchange.send(*error);
    } else {
        co_await exchange.send(200, std::move(std::get<std::string>(body)));
    }
}

// Answers a repeated question without generating.
awaitable<void> answer_from_cache(http_exchange& exchange, gateway_core& core,
                                  const served_model& model, const answer_head& head,
                                  finished_answer kept, admitted_request& who) {
    fill_audit_record(exchange, model, {}, kept.reason);
    who.release();
    const auto answer = make_repeated_answer(std::move(kept), core);
    co_await send_whole(exchange, head, answer);
}

awaitable<void> answer_whole(http_exchange& exchange, gateway_core& core, answer_kind kind,
                             std::optional<request_digest> key, generation_job job,
                             admitted_request& who) {
    const auto& model = *job.model;
    const auto head = head_of(core, model, kind);
    if (key) {
        const auto* const kept = core.answers.find(detail::now(), *key);
        exchange.set_header(cache_header, kept ? "hit" : "miss");
        if (kept) co_return co_await answer_from_cache(exchange, core, model, head, *kept, who);
    }
    co_await async_fetch_last_server(core, job.pin);
    if (const auto error = check_session_admission(core, job))
        co_return co_await send_refusal(exchange, who, *error);
    const auto answer = co_await generate_answer(exchange, core, std::move(job), who);
    if (!answer) co_return;
    if (key && is_complete(*answer))
        core.answers.put(detail::now(), *key, *answer, estimate_bytes(*answer));
    co_await send_whole(exchange, head, *answer);
}

template <class Request>
std::optional<request_digest> cache_key(const http_exchange& exchange, const gateway_core& core,
                                        const served_model& model, const admitted_request& who,
                                        const Request& request) {
    if (!core.caches_answers() || bypasses_cache(exchange.header("Cache-Control")))
        return std::nullopt;
    const bool isolates = core.options.service.conversation.isolate;
    return make_cache_key(request, model.name, isolates ? who.key_name() : std::string_view());
}

std::vector<std::string_view> request_texts(const chat_request& r) {
    return collect_texts(r.messages, {}, r.options);
}

std::vector<std::string_view> request_texts(const completion_request& r) {
    return collect_texts({}, r.prompt, r.options);
}

generation_job make_job(const gateway_core& core, chat_request request) {
    generation_job job{.setup = core.options.service.conversation,
                       .options = std::move(request.options)};
    job.setup.messages = std::move(request.messages);
    return job;
}

generation_job make_job(const gateway_core& core, completion_request request) {
    generation_job job{.setup = core.options.service.conversation,
                       .prompt = std::move(request.prompt),
                       .options = std::move(request.options)};
    job.setup.messages = {};
    job.setup.raw = true;
    return job;
}

template <class Request>
awaitable<void> answer(http_exchange& exchange, gateway_core& core, answer_kind kind,
                       std::variant<Request, api_error> read, admitted_request& who) {
    if (const auto* error = std::get_if<api_error>(&read))
        co_return co_await send_refusal(exchange, who, *error);
    auto& request = std::get<Request>(read);
    if (const auto error = check_prompt(exchange, core, request_texts(request)))
        co_return co_await send_refusal(exchange, who, *error);
    const auto found = core.models.find(request.model, who);
    if (const auto* error = std::get_if<api_error>(&found))
        co_return co_await send_refusal(exchange, who, *error);
    auto& model = *std::get<served_model*>(found);
    if (const auto error = set_adapter_scales(core, model, request))
        co_return co_await send_refusal(exchange, who, *error);

    const generation_request how = request;
    const auto key = cache_key(exchange, core, model, who, request);
    auto job = make_job(core, std::move(request));
    job.model = &model;
    // The cache key was made before this, because it must not depend on the trace.
    propagate_trace(exchange, core, job);
    job.options.priority = who.priority();
    job.pin = make_affinity_key(who, how);
    if (how.stream)
        co_await answer_as_stream(exchange, core, kind, how, std::move(job), who);
    else
        co_await answer_whole(exchange, core, kind, key, std::move(job), who);
}

}  // namespace

awaitable<void> answer_chat(http_exchange& exchange, gateway_core& core, admitted_request who) {
    auto read = read_chat_request(exchange.body(), core.defaults());
    co_await answer(exchange, core, answer_kind::chat, std::move(read), who);
}

awaitable<void> answer_completion(http_exchange& exchange, gateway_core& core,
                                  admitted_request who) {
    auto read = read_completion_request(exchange.body(), core.defaults());
    co_await answer(exchange, core, answer_kind::completion, std::move(read), who);
}

}  // namespace tandem::gateway

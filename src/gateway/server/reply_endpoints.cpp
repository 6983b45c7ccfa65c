#include "gateway/answers/chat_answer.hpp"
#include "gateway/answers/ids.hpp"
#include "gateway/answers/question_key.hpp"
#include "gateway/answers/stream_silence.hpp"
#include "gateway/policy/prompt_texts.hpp"
#include "gateway/requests/chat_request.hpp"
#include "gateway/requests/completion_request.hpp"
#include "gateway/server/endpoints.hpp"
#include "gateway/server/whole_reply.hpp"
#include "gateway/sessions/reply_order.hpp"
#include "gateway/telemetry/audit_line.hpp"
#include "loop/clock.hpp"

#include "tandem/conversation.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// Replies to clients that speak OpenAI's API: each request is a conversation of its own, whose
// history the client brings.
namespace tandem::gateway {
namespace {

using boost::asio::awaitable;

answer_head head_of(gateway_core& core, const served_model& model, answer_kind kind) {
    return {.kind = kind,
            .id = random_id(kind == answer_kind::chat ? "chatcmpl-" : "cmpl-", core.random),
            .created = std::time(nullptr),
            .model = model.name};
}

// What a request is remembered with. Of an answer that another reply brought no token is counted:
// the sum is what the servers did.
void note(http_exchange& exchange, const served_model& model, const token_usage& used,
          finish_reason reason) {
    exchange.record.model = model.name;
    exchange.record.tokens_in = used.prompt;
    exchange.record.tokens_out = used.generated;
    exchange.record.finish_reason = to_string(reason);
}

// `by_chunk`: its reader got chunks as they came.
void charge(http_exchange& exchange, gateway_core& core, const served_model& model,
            const admitted& who, const reply& r, bool by_chunk) {
    const auto& result = r.result();
    const auto& u = result.usage;
    exchange.record.reply = r.id();
    core.gate.charge(who, detail::now(), u.prompt + u.generated);
    core.metrics.reply_ended(model.name, result, by_chunk);
    note(exchange, model, u, result.finish_reason);
}

// Its key's place is free when the client hears of it: it may come back at once.
awaitable<void> refuse(http_exchange& exchange, admitted& who, const api_error& error) {
    who.release();
    co_await exchange.send(error);
}

// --- as a stream

// One reply on its way to a client.
class streamed_reply {
 public:
    streamed_reply(http_exchange& exchange, gateway_core& core, const served_model& model,
                   answer_kind kind, const generation_request& request, call_rules calls)
        : exchange_(exchange),
          core_(core),
          model_(model),
          by_chunk_(request.stream_by == tandem::stream_by::chunk),
          head_(head_of(core, model, kind)),
          stream_(head_, request.include_usage),
          calls_(std::move(calls)) {}

    /// To its end, or until the client is gone.
    awaitable<void> run(reply& r, admitted& who) {
        exchange_.when_gone([&r] { r.interrupt(); });
        for (;;) {
            error_code ec;
            const auto piece = co_await r.async_next_chunk(
                boost::asio::redirect_error(boost::asio::use_awaitable, ec));
            if (!piece) break;
            r.continue_after(piece->id);
            take(*piece);
            // The server is at work on the prompt, or on a call, which is sent when it is whole.
            if (out_.empty() && silence_.is_too_long(detail::now())) stream_.keep_alive(out_);
            co_await send_what_is_there();
            if (calls_.is_done()) r.interrupt();
        }
        take(calls_.finish(r.result().reasoning));
        warn_of(core_.options.service.server.logger, calls_.fault(), model_.name, exchange_.id());
        charge(exchange_, core_, model_, who, r, by_chunk_);
        who.release();
        co_await end(r.result());
        exchange_.when_gone(nullptr);
    }

 private:
    void take(const chunk& piece) {
        stream_.reasoning(piece.reasoning, out_);
        if (piece.text.empty()) return;
        if (by_chunk_) core_.metrics.chunk_came(head_.model, piece);
        take(calls_.feed(piece.text));
    }
    void take(const text_and_calls& read) {
        stream_.text(read.text, out_);
        for (const auto& call : read.calls) stream_.call(call, out_);
    }
    // The status waits for the first text, or reasoning, or a sign of life: what fails before it
    // has a status of its own.
    awaitable<void> send_what_is_there() {
        if (out_.empty()) co_return;
        if (!std::exchange(has_begun_, true)) co_await exchange_.begin_stream();
        co_await exchange_.write(out_);
        silence_.sent(detail::now());
        out_.clear();
    }

    awaitable<void> end(const reply_result& result) {
        if (result.finish_reason == finish_reason::error) {
            const auto error = error_of(result.error, result.diagnostics);
            if (!has_begun_) co_return co_await exchange_.send(error);
            fail(error);
        } else if (const auto no_call = calls_.error(result.finish_reason)) {
            if (!has_begun_ && out_.empty()) co_return co_await exchange_.send(*no_call);
            fail(*no_call);
        } else {
            stream_.end(calls_.reason(result.finish_reason), usage_of(result.usage), out_);
        }
        co_await send_what_is_there();
        co_await exchange_.end_stream();
    }

    void fail(const api_error& error) {
        exchange_.record.error = error.code;
        stream_.fail(error, out_);
    }

    http_exchange& exchange_;
    gateway_core& core_;
    const served_model& model_;
    bool by_chunk_;  // its reader gets chunks as they come
    answer_head head_;
    answer_stream stream_;
    called_text calls_;
    stream_silence silence_{detail::now()};
    std::string out_;
    bool has_begun_ = false;
};

awaitable<void> answer_as_stream(http_exchange& exchange, gateway_core& core, answer_kind kind,
                                 const generation_request& request, reply_order order,
                                 admitted& who) {
    auto& model = *order.model;
    const auto bytes = bytes_of(order);
    auto talk = open(core.places, order, detail::now());
    auto reply = talk.stream(order.options, request.stream_by);
    streamed_reply answer(exchange, core, model, kind, request, std::move(order.calls));
    co_await answer.run(reply, who);
    keep_place(core.places, order.pin, std::move(talk), bytes, reply.result(), detail::now());
}

// --- whole

constexpr std::string_view cache_header = "X-Tandem-Cache";

// The prompt cost this request nothing, and its calls have ids of their own.
finished_answer told_again(finished_answer answer, gateway_core& core) {
    answer.usage.cached_tokens = answer.usage.prompt_tokens;
    const auto seed = core.random();
    for (std::uint64_t i = 0; auto& call : answer.calls) call.id = call_id(seed, i++);
    return answer;
}

awaitable<void> send_whole(http_exchange& exchange, const answer_head& head,
                           const finished_answer& answer) {
    auto body = whole_body(head, answer);
    if (const auto* error = std::get_if<api_error>(&body)) {
        co_await exchange.send(*error);
    } else {
        co_await exchange.send(200, std::move(std::get<std::string>(body)));
    }
}

// The same question is asked again: nothing is generated.
awaitable<void> answer_from_cache(http_exchange& exchange, gateway_core& core,
                                  const served_model& model, const answer_head& head,
                                  finished_answer kept, admitted& who) {
    note(exchange, model, {}, kept.reason);
    who.release();
    const auto told = told_again(std::move(kept), core);
    co_await send_whole(exchange, head, told);
}

awaitable<void> answer_whole(http_exchange& exchange, gateway_core& core, answer_kind kind,
                             std::optional<question_key> key, reply_order order, admitted& who) {
    const auto& model = *order.model;
    const auto head = head_of(core, model, kind);
    if (key) {
        const auto* const kept = core.answers.find(detail::now(), *key);
        exchange.set_header(cache_header, kept ? "hit" : "miss");
        if (kept) co_return co_await answer_from_cache(exchange, core, model, head, *kept, who);
    }
    whole_reply reply(core, std::move(order));
    const auto read = co_await reply.read(exchange);
    warn_of(core.options.service.server.logger, reply.fault(), model.name, exchange.id());
    charge(exchange, core, model, who, reply.itself(), false);
    who.release();
    if (const auto* const error = std::get_if<api_error>(&read))
        co_return co_await exchange.send(*error);
    const auto& answer = std::get<finished_answer>(read);
    if (key) core.answers.keep(detail::now(), *key, answer);
    co_await send_whole(exchange, head, answer);
}

template <class Request>
std::optional<question_key> cache_key(const http_exchange& exchange, const gateway_core& core,
                                      const served_model& model, const admitted& who,
                                      const Request& request) {
    if (!core.keeps_answers() || wants_own_answer(exchange.header("Cache-Control")))
        return std::nullopt;
    const bool isolates = core.options.service.conversation.isolate;
    return key_of(request, model.name, isolates ? who.key_name() : std::string_view());
}

// Each request says which adapters count: a server that was restarted has others.
std::optional<api_error> take_adapters(const gateway_core& core, const served_model& model,
                                       generation_request& request) {
    auto set = core.desk->set_for(model.name, request.lora);
    if (auto* const error = std::get_if<api_error>(&set)) return std::move(*error);
    request.options.lora = std::get<std::vector<adapter_scale>>(std::move(set));
    return std::nullopt;
}

// What is refused is told in the audit too.
std::optional<api_error> check_prompt(http_exchange& exchange, const gateway_core& core,
                                      const std::vector<std::string_view>& texts) {
    if (core.options.audit && core.options.audit_prompts)
        exchange.record.prompt = joined(texts, max_audit_prompt_bytes);
    if (core.is_stopping) return gateway_stopping();
    return core.policy.verdict(texts);
}

std::vector<std::string_view> request_texts(const chat_request& r) {
    return texts_of(r.messages, {}, r.options);
}

std::vector<std::string_view> request_texts(const completion_request& r) {
    return texts_of({}, r.prompt, r.options);
}

reply_order order_of(gateway_core& core, chat_request request) {
    reply_order order{.setup = core.options.service.conversation,
                      .options = std::move(request.options),
                      .calls = {.functions = std::move(request.functions),
                                .texts = std::move(request.texts),
                                .id_seed = core.random(),
                                .most_calls = request.parallel_tool_calls ? 128u : 1u}};
    order.setup.messages = std::move(request.messages);
    return order;
}

reply_order order_of(const gateway_core& core, completion_request request) {
    reply_order order{.setup = core.options.service.conversation,
                      .prompt = std::move(request.prompt),
                      .options = std::move(request.options)};
    order.setup.messages = {};
    order.setup.raw = true;
    return order;
}

template <class Request>
awaitable<void> answer(http_exchange& exchange, gateway_core& core, answer_kind kind,
                       Request request, admitted& who) {
    const auto found = core.models.find(request.model, who);
    if (const auto* error = std::get_if<api_error>(&found))
        co_return co_await refuse(exchange, who, *error);
    auto& model = *std::get<served_model*>(found);
    if (const auto error = take_adapters(core, model, request))
        co_return co_await refuse(exchange, who, *error);

    const generation_request how = request;
    const auto key = cache_key(exchange, core, model, who, request);
    auto order = order_of(core, std::move(request));
    order.model = &model;
    // No part of the question: who asks first has its trace and its priority in the reply.
    order.options.traceparent = exchange.traceparent();
    order.options.priority = who.priority();
    order.pin = pin_of(who, how);
    order.request_id = exchange.id();
    if (how.stream)
        co_await answer_as_stream(exchange, core, kind, how, std::move(order), who);
    else
        co_await answer_whole(exchange, core, kind, key, std::move(order), who);
}

}  // namespace

awaitable<void> answer_chat(http_exchange& exchange, gateway_core& core, admitted who) {
    auto read = read_chat_request(exchange.body(), core.defaults());
    if (const auto* error = std::get_if<api_error>(&read))
        co_return co_await refuse(exchange, who, *error);
    auto& request = std::get<chat_request>(read);
    const auto texts = request_texts(request);
    if (const auto error = check_prompt(exchange, core, texts))
        co_return co_await refuse(exchange, who, *error);
    co_await answer(exchange, core, answer_kind::chat, std::move(request), who);
}

awaitable<void> answer_completion(http_exchange& exchange, gateway_core& core, admitted who) {
    auto read = read_completion_request(exchange.body(), core.defaults());
    if (const auto* error = std::get_if<api_error>(&read))
        co_return co_await refuse(exchange, who, *error);
    auto& request = std::get<completion_request>(read);
    const auto texts = request_texts(request);
    if (const auto error = check_prompt(exchange, core, texts))
        co_return co_await refuse(exchange, who, *error);
    co_await answer(exchange, core, answer_kind::completion, std::move(request), who);
}

}  // namespace tandem::gateway

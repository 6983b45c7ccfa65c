#include "gateway/answers/chat_answer.hpp"
#include "gateway/answers/keep_alive_policy.hpp"
#include "gateway/answers/random_ids.hpp"
#include "gateway/answers/request_digest.hpp"
#include "gateway/policy/prompt_texts.hpp"
#include "gateway/requests/chat_request.hpp"
#include "gateway/requests/completion_request.hpp"
#include "gateway/server/buffered_reply.hpp"
#include "gateway/server/endpoints.hpp"
#include "gateway/sessions/generation_job.hpp"
#include "gateway/sessions/session_door.hpp"
#include "gateway/telemetry/audit_line.hpp"
#include "loop/clock.hpp"

#include "tandem/conversation.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <ctime>
#include <memory>
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

// Fills in the audit record. A cached answer counts no tokens, so that the sum matches the servers'
// work.
void note(http_exchange& exchange, const served_model& model, const token_usage& used,
          finish_reason reason) {
    exchange.record.model = model.name;
    exchange.record.tokens_in = used.prompt;
    exchange.record.tokens_out = used.generated;
    exchange.record.finish_reason = to_string(reason);
}

// `by_chunk`: the client received chunks as they came.
void charge(http_exchange& exchange, gateway_core& core, const served_model& model,
            const admitted& who, const reply& r, bool by_chunk) {
    const auto& result = r.result();
    const auto& u = result.usage;
    exchange.record.reply = r.id();
    core.gate.charge(who, detail::now(), u.prompt + u.generated);
    core.metrics.record_reply(model.name, result, by_chunk);
    note(exchange, model, u, result.finish_reason);
}

// Releases the permit before responding, because the client may send its next request at once.
awaitable<void> refuse(http_exchange& exchange, admitted& who, const api_error& error) {
    who.release();
    co_await exchange.send(error);
}

// --- streamed

// Streams one reply to a client.
class streamed_reply {
 public:
    streamed_reply(http_exchange& exchange, gateway_core& core, const served_model& model,
                   answer_kind kind, const generation_request& request)
        : exchange_(exchange),
          core_(core),
          model_(model),
          by_chunk_(request.stream_by == tandem::stream_by::chunk),
          head_(head_of(core, model, kind)),
          stream_(head_, request.include_usage) {}

    /// Runs until the reply ends, or until the client disconnects.
    awaitable<void> run(reply& r, admitted& who) {
        exchange_.on_disconnect([&r] { r.interrupt(); });
        for (;;) {
            error_code ec;
            const auto piece = co_await r.async_next_chunk(
                boost::asio::redirect_error(boost::asio::use_awaitable, ec));
            if (!piece) break;
            r.continue_after(piece->id);
            take(*piece);
            // The server processes the prompt, or generates a tool call, which is sent only when
            // complete.
            if (out_.empty() && silence_.is_keep_alive_due(detail::now())) stream_.keep_alive(out_);
            co_await send_what_is_there();
        }
        take(r.result().calls);
        charge(exchange_, core_, model_, who, r, by_chunk_);
        who.release();
        co_await end(r.result());
        exchange_.on_disconnect(nullptr);
    }

 private:
    void take(const chunk& piece) {
        stream_.reasoning(piece.reasoning, out_);
        if (piece.text.empty()) return;
        if (by_chunk_) core_.metrics.record_chunk(head_.model, piece);
        stream_.text(piece.text, out_);
    }
    void take(std::vector<tool_call> calls) {
        set_call_ids(calls, core_.random());
        for (const auto& call : calls) stream_.call(call, out_);
    }
    // The status is sent with the first text, reasoning or keep-alive, so that earlier errors still
    // have their own status.
    awaitable<void> send_what_is_there() {
        if (out_.empty()) co_return;
        if (!std::exchange(has_begun_, true)) co_await exchange_.begin_stream();
        co_await exchange_.write(out_);
        silence_.record_send(detail::now());
        out_.clear();
    }

    awaitable<void> end(const reply_result& result) {
        if (result.finish_reason == finish_reason::error) {
            const auto error = make_reply_error(result);
            if (!has_begun_) co_return co_await exchange_.send(error);
            fail(error);
        } else {
            stream_.end(result.finish_reason, to_answer_usage(result.usage), out_);
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
    bool by_chunk_;  // the client gets chunks as they come
    answer_head head_;
    answer_stream stream_;
    keep_alive_policy silence_{detail::now()};
    std::string out_;
    bool has_begun_ = false;
};

// An answer in the history shows that the conversation is not new, even if the client does not
// identify it. A raw prompt is not spoken to anybody.
bool is_new_conversation(gateway_core& core, const generation_job& order) {
    const auto is_answer = [](const chat_message& m) { return m.role == "assistant"; };
    if (order.setup.raw || std::ranges::any_of(order.setup.messages, is_answer)) return false;
    return order.pin.empty() || !core.places.find(detail::now(), order.pin);
}

std::optional<api_error> check_door(gateway_core& core, const generation_job& order) {
    if (!is_new_conversation(core, order)) return std::nullopt;
    return refuse_new_session(core, *order.model);
}

awaitable<void> answer_as_stream(http_exchange& exchange, gateway_core& core, answer_kind kind,
                                 const generation_request& request, generation_job order,
                                 admitted& who) {
    if (const auto error = check_door(core, order))
        co_return co_await refuse(exchange, who, *error);
    auto& model = *order.model;
    const auto bytes = bytes_of(order);
    auto talk = open(core.places, order, detail::now());
    auto reply = talk.stream(order.options, request.stream_by);
    streamed_reply answer(exchange, core, model, kind, request);
    co_await answer.run(reply, who);
    remember_affinity(core.places, order.pin, std::move(talk), bytes, reply.result(),
                      detail::now());
}

// --- as one body

constexpr std::string_view cache_header = "X-Tandem-Cache";

// A cached answer costs no prompt tokens, and its calls get new ids.
finished_answer told_again(finished_answer answer, gateway_core& core) {
    answer.usage.cached_tokens = answer.usage.prompt_tokens;
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
                                  finished_answer kept, admitted& who) {
    note(exchange, model, {}, kept.reason);
    who.release();
    const auto told = told_again(std::move(kept), core);
    co_await send_whole(exchange, head, told);
}

awaitable<void> answer_whole(http_exchange& exchange, gateway_core& core, answer_kind kind,
                             std::optional<request_digest> key, generation_job order,
                             admitted& who) {
    const auto& model = *order.model;
    const auto head = head_of(core, model, kind);
    if (key) {
        const auto* const kept = core.answers.find(detail::now(), *key);
        exchange.set_header(cache_header, kept ? "hit" : "miss");
        if (kept) co_return co_await answer_from_cache(exchange, core, model, head, *kept, who);
    }
    if (const auto error = check_door(core, order))
        co_return co_await refuse(exchange, who, *error);
    buffered_reply reply(core, std::move(order));
    const auto read = co_await reply.read(exchange);
    charge(exchange, core, model, who, reply.itself(), false);
    who.release();
    if (const auto* const error = std::get_if<api_error>(&read))
        co_return co_await exchange.send(*error);
    const auto& answer = std::get<finished_answer>(read);
    if (key) core.answers.store(detail::now(), *key, answer);
    co_await send_whole(exchange, head, answer);
}

template <class Request>
std::optional<request_digest> cache_key(const http_exchange& exchange, const gateway_core& core,
                                        const served_model& model, const admitted& who,
                                        const Request& request) {
    if (!core.keeps_answers() || bypasses_cache(exchange.header("Cache-Control")))
        return std::nullopt;
    const bool isolates = core.options.service.conversation.isolate;
    return key_of(request, model.name, isolates ? who.key_name() : std::string_view());
}

// Each request states its adapter scales, because a restarted server has other defaults.
std::optional<api_error> take_adapters(const gateway_core& core, const served_model& model,
                                       generation_request& request) {
    auto set = core.desk->select_adapters(model.name, request.lora);
    if (auto* const error = std::get_if<api_error>(&set)) return std::move(*error);
    request.options.lora = std::get<std::vector<adapter_scale>>(std::move(set));
    return std::nullopt;
}

// Records the prompt before checking it, so that the audit log also contains rejected prompts.
std::optional<api_error> check_prompt(http_exchange& exchange, const gateway_core& core,
                                      const std::vector<std::string_view>& texts) {
    if (core.options.audit && core.options.audit_prompts)
        exchange.record.prompt = join_texts(texts, max_audit_prompt_bytes);
    if (core.is_stopping) return make_stopping_error();
    return core.policy.verdict(texts);
}

std::vector<std::string_view> request_texts(const chat_request& r) {
    return collect_texts(r.messages, {}, r.options);
}

std::vector<std::string_view> request_texts(const completion_request& r) {
    return collect_texts({}, r.prompt, r.options);
}

generation_job order_of(const gateway_core& core, chat_request request) {
    generation_job order{.setup = core.options.service.conversation,
                         .options = std::move(request.options)};
    order.setup.messages = std::move(request.messages);
    return order;
}

generation_job order_of(const gateway_core& core, completion_request request) {
    generation_job order{.setup = core.options.service.conversation,
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
    // Not part of the cache key.
    order.options.traceparent = exchange.traceparent();
    order.options.priority = who.priority();
    order.pin = make_affinity_key(who, how);
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

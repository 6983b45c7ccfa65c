#include "gateway/server/reply_delivery.hpp"

#include "gateway/answers/random_ids.hpp"
#include "gateway/policy/prompt_texts.hpp"
#include "gateway/sessions/conversation_sharing.hpp"
#include "gateway/sessions/session_admission.hpp"
#include "gateway/telemetry/audit_line.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <variant>

namespace tandem::gateway {

using boost::asio::awaitable;

namespace {

// An answer in the history shows that the conversation is not new, even if the client does not
// identify it. A raw prompt is never a new conversation, because its reply is not spoken.
bool is_new_conversation(gateway_core& core, const generation_job& job) {
    const auto is_answer = [](const chat_message& m) { return m.role == "assistant"; };
    if (job.setup.raw || std::ranges::any_of(job.setup.messages, is_answer)) return false;
    return job.pin.empty() || !core.places.find(detail::now(), job.pin);
}

}  // namespace

std::optional<api_error> check_session_admission(gateway_core& core, const generation_job& job) {
    if (!is_new_conversation(core, job)) return std::nullopt;
    return check_new_session(core, *job.model);
}

std::optional<api_error> set_adapter_scales(const gateway_core& core, const served_model& model,
                                            generation_request& request) {
    auto set = core.deployer->adapters().select_adapters(model.name, request.lora);
    if (auto* const error = std::get_if<api_error>(&set)) return std::move(*error);
    request.options.lora = std::get<std::vector<adapter_scale>>(std::move(set));
    return std::nullopt;
}

std::optional<api_error> check_prompt(answer_client& client, const gateway_core& core,
                                      const std::vector<std::string_view>& texts) {
    if (core.options.audit && core.options.audit_prompts)
        client.record.prompt = join_texts(texts, max_audit_prompt_bytes);
    if (core.is_stopping) return make_stopping_error();
    return core.filter.find_violation(texts);
}

void fill_audit_record(answer_client& client, const served_model& model, const token_usage& used,
                       finish_reason reason) {
    client.record.model = model.name;
    client.record.tokens_in = used.prompt;
    client.record.tokens_out = used.generated;
    client.record.finish_reason = to_string(reason);
}

void record_ended_reply(answer_client& client, gateway_core& core, const served_model& model,
                        const admitted_request& who, const reply& r, bool by_chunk) {
    const auto& result = r.result();
    const auto& u = result.usage;
    client.record.reply = r.id();
    core.gate.charge_tokens(who, detail::now(), u.prompt + u.generated);
    core.metrics.record_reply(model.name, result, by_chunk);
    if (client.trace)
        add_reply(*client.trace, detail::now(), result, by_chunk, core.options.traces.texts);
    fill_audit_record(client, model, u, result.finish_reason);
}

awaitable<void> send_refusal(answer_client& client, admitted_request& who, const api_error& error) {
    who.release();
    co_await client.send(error);
}

void add_reply_end(finished_answer& answer, gateway_core& core, const reply_result& result) {
    answer.calls = result.calls;
    set_call_ids(answer.calls, core.random());
    answer.reason = result.finish_reason;
    answer.usage = to_answer_usage(result);
}

awaitable<std::optional<finished_answer>> generate_answer(answer_client& client, gateway_core& core,
                                                          generation_job job,
                                                          admitted_request& who) {
    const auto bytes = estimate_job_bytes(job);
    auto talk = open_job_conversation(core.places, job, detail::now());
    auto reply = talk.stream(std::move(job.options), stream_by::chunk);
    finished_answer answer;
    client.on_disconnect([&reply] { reply.interrupt(); });
    for (;;) {
        error_code ec;
        const auto piece = co_await reply.async_next_chunk(
            boost::asio::redirect_error(boost::asio::use_awaitable, ec));
        if (!piece) break;
        reply.continue_after(piece->id);
        answer.text += piece->text;
    }
    client.on_disconnect(nullptr);
    const auto& result = reply.result();
    remember_last_server(core, job.pin, std::move(talk), bytes, result);
    record_ended_reply(client, core, *job.model, who, reply, false);
    who.release();
    if (result.finish_reason == finish_reason::error) {
        co_await client.send(make_reply_error(result));
        co_return std::nullopt;
    }
    answer.reasoning = result.reasoning;
    add_reply_end(answer, core, result);
    co_return answer;
}

awaitable<void> streamed_reply::run(reply& r, admitted_request& who) {
    client_.on_disconnect([&r] { r.interrupt(); });
    co_await send_pending();
    for (;;) {
        error_code ec;
        const auto piece = co_await r.async_next_chunk(
            boost::asio::redirect_error(boost::asio::use_awaitable, ec));
        if (!piece) break;
        r.continue_after(piece->id);
        append_piece(*piece);
        // No output yet: the server processes the prompt, or generates a tool call that is not sent
        // in pieces.
        if (out_.empty() && silence_.is_keep_alive_due(detail::now()))
            events_.write_keep_alive(out_);
        co_await send_pending();
    }
    add_reply_end(answer_, core_, r.result());
    send_calls();
    if (on_finished_) on_finished_(answer_);
    record_ended_reply(client_, core_, model_, who, r, by_chunk_);
    who.release();
    co_await end(r.result());
    client_.on_disconnect(nullptr);
}

void streamed_reply::append_piece(const chunk& piece) {
    events_.write_reasoning_piece(piece.reasoning, out_);
    append_call_piece(piece);
    if (piece.text.empty()) return;
    if (by_chunk_) core_.metrics.record_chunk(model_.name, piece);
    answer_.text += piece.text;
    events_.write_text_piece(piece.text, out_);
}

void streamed_reply::append_call_piece(const chunk& piece) {
    if (piece.called.empty() && piece.arguments.empty()) return;
    std::vector<tool_call> next{{.name = piece.called, .arguments = piece.arguments}};
    if (!piece.called.empty()) {
        set_call_ids(next, core_.random());
        sent_call_ = {.id = next[0].id, .name = piece.called};
    }
    sent_call_.arguments += piece.arguments;
    events_.write_call_piece(next[0], out_);
}

/// Sends the calls at the end of the reply. If pieces of the only call were already sent, only ends
/// that call.
void streamed_reply::send_calls() {
    auto& calls = answer_.calls;
    const bool is_sent = !sent_call_.name.empty() && calls.size() == 1;
    if (is_sent) calls[0].id = sent_call_.id;
    if (is_sent) return events_.end_call(out_);
    for (const auto& call : calls) events_.write_call(call, out_);
}

// The status is sent with the first text, reasoning or keep-alive, so that an earlier error can
// still set its own status.
awaitable<void> streamed_reply::send_pending() {
    if (out_.empty()) co_return;
    if (!std::exchange(has_begun_, true)) co_await client_.begin_stream();
    co_await client_.write(out_);
    silence_.record_send(detail::now());
    out_.clear();
}

awaitable<void> streamed_reply::end(const reply_result& result) {
    if (result.finish_reason == finish_reason::error) {
        const auto error = make_reply_error(result);
        if (!has_begun_) co_return co_await client_.send(error);
        end_with_error(error);
    } else {
        events_.end(answer_.reason, answer_.usage, out_);
    }
    co_await send_pending();
    co_await client_.end_stream();
}

void streamed_reply::end_with_error(const api_error& error) {
    client_.record.error = error.code;
    events_.end_with_error(error, out_);
}

}  // namespace tandem::gateway

#include "base/trace_context.hpp"
#include "gateway/policy/prompt_texts.hpp"
#include "gateway/sessions/gateway_core.hpp"
#include "gateway/sessions/voice_session.hpp"
#include "gateway/telemetry/audit_line.hpp"

#include <chrono>

// The audit records of the turns of a session.
namespace tandem::gateway {

bool voice_session::audits_prompts() const {
    return gateway_.options.audit && gateway_.options.audit_prompts;
}

// Each turn has its own audit line, in addition to the audit line of the upgrade request.
audit_record voice_session::make_turn_record(int status, std::string_view traceparent) const {
    audit_record record;
    record.time = std::chrono::system_clock::now();
    record.request_id = caller_->request_id;
    record.trace_id = parse_trace_id(traceparent);
    record.remote = caller_->remote;
    record.key = caller_->who.key_name();
    record.method = "GET";
    record.route = "/v1/voice";
    record.model = model_.name;
    record.status = status;
    return record;
}

void voice_session::audit_refused_turn(const voice_turn& turn, const api_error& why) {
    auto record = make_turn_record(why.status, traceparent_of(turn));
    const bool is_reply = turn.number > 0 && turn.what != voice_turn::kind::messages;
    if (is_reply) record.voice_reply = turn.number;
    record.error = why.code;
    if (audits_prompts()) record.prompt = join_texts(collect_texts(turn), max_audit_prompt_bytes);
    log_and_audit(gateway_.options, record, log_level::info);
}

void voice_session::record_reply_end(time_point now, const reply_result& result) {
    const auto& u = result.usage;
    gateway_.gate.charge_tokens(caller_->who, now, u.prompt + u.generated - u.drafted);
    constexpr bool by_chunk = true;
    gateway_.metrics.record_reply(model_.name, result, by_chunk);
    auto record = make_turn_record(101, trace_.traceparent());
    record.reply = reply_->id();
    record.voice_reply = number_;
    record.tokens_in = u.prompt;
    record.tokens_out = u.generated;
    record.elapsed = now - began_;
    record.finish_reason = to_string(result.finish_reason);
    if (result.error) record.error = to_api_error(result.error, result.diagnostics).code;
    record.prompt = prompts_.take_prompt(u.drafted > 0);
    log_and_audit(gateway_.options, record, log_level::info);
    thinking_.warn_if_thinking_off_was_ignored(result);
}

}  // namespace tandem::gateway

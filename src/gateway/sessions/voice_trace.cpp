#include "gateway/sessions/voice_trace.hpp"

#include "gateway/sessions/gateway_core.hpp"
#include "loop/clock.hpp"

#include <utility>

namespace tandem::gateway {

void voice_trace::begin(const voice_turn& turn, generation_options& options) {
    traceparent_ = options.traceparent;
    turn_ = gateway_.begin_trace(traceparent_, turn.asked_at);
    if (!turn_) return;
    options.traceparent = traceparent_ = to_traceparent(turn_->context);
    turn_->turn = turn.id;
    turn_->is_given_text = turn.is_given_text();
    turn_->user_stopped_ago = turn.user_stopped_ago;
    turn_->vad_stop = turn.vad_stop;
    if (!gateway_.options.traces.texts) return;
    add_input_messages(*turn_, turn.messages);
    if (!turn.prompt.empty())
        add_input_messages(*turn_, {{.role = "user", .content = turn.prompt}});
}

// The requests of the resumed reply still carry the header of the interrupted turn.
void voice_trace::begin_resumed(const voice_turn& turn) {
    turn_ = gateway_.begin_trace(traceparent_, turn.asked_at);
    if (turn_) turn_->turn = turn.id;
}

// A chunk that comes after the interruption is not sent, so it is not the first chunk.
void voice_trace::on_chunk(time_point now) {
    if (turn_ && !turn_->first_chunk_at && !turn_->interrupted_at) turn_->first_chunk_at = now;
}

void voice_trace::on_calls(time_point now) {
    if (turn_) turn_->called_at = now;
}

void voice_trace::on_interrupt(time_point now) {
    if (turn_ && !turn_->interrupted_at) turn_->interrupted_at = now;
}

void voice_trace::end(time_point now, const std::string& request_id, const std::string& model,
                      const reply_result& result) {
    if (!turn_) return;
    turn_->name = "voice turn";
    turn_->request_id = request_id;
    turn_->model = model;
    constexpr bool by_chunk = true;
    add_reply(*turn_, now, result, by_chunk, gateway_.options.traces.texts);
    gateway_.end_trace(*std::exchange(turn_, {}), now);
}

}  // namespace tandem::gateway

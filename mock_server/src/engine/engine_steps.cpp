#include "answers/tool_call_text.hpp"
#include "engine/engine.hpp"
#include "faults/fault_plan.hpp"

#include <algorithm>
#include <utility>

namespace tandem::mock {
namespace {

nanoseconds time_for(double count, double per_second) {
    if (per_second <= 0) return nanoseconds(0);
    return nanoseconds(static_cast<std::int64_t>(count / per_second * 1e9));
}

}  // namespace

std::optional<nanoseconds> engine::begin_step(time_point now) {
    if (in_step_) return std::nullopt;
    drop_cancelled(now);
    accept(now);
    if (crashed_) return std::nullopt;
    const nanoseconds copying = std::exchange(copying_, nanoseconds(0));
    int room = options_.batch_size;
    int generating = 0;
    for (slot& s : pool_.all()) {
        if (!s.task) continue;
        task& t = *tasks_.at(*s.task);
        if (t.is_stalled(now)) continue;
        const int batch = t.phase == task_phase::prompt ? plan_batch(t, room) : 0;
        if (t.phase == task_phase::prompt && batch == 0) continue;
        room -= batch;
        if (t.phase == task_phase::generating) ++generating;
        // The server does not count the time of copies as time of the prompt.
        if (t.phase == task_phase::prompt && t.since == now) t.since += copying;
        step_.push_back({&t, batch});
    }
    if (step_.empty()) return std::nullopt;
    in_step_ = true;
    return copying + compute_step_time(options_.batch_size - room, generating);
}

int engine::plan_batch(task& t, int room) const {
    const int wanted = std::min(room, t.counts.prompt_tokens - t.counts.processed);
    return memory_.limit_batch(t.counts.processed, t.counts.prompt_tokens, wanted);
}

nanoseconds engine::compute_step_time(int prompt_tokens, int generating) const {
    const nanoseconds of_each = time_for(generating > 0 ? 1 : 0, options_.tokens_per_second);
    const nanoseconds of_all = time_for(generating, options_.total_tokens_per_second);
    return time_for(prompt_tokens, options_.prompt_tokens_per_second) + std::max(of_each, of_all);
}

void engine::end_step(time_point now) {
    in_step_ = false;
    for (const planned_work& p : step_) {
        if (crashed_) break;
        if (p.prompt_tokens > 0) {
            advance_prompt(*p.of, p.prompt_tokens, now);
        } else {
            advance_token(*p.of, now);
        }
    }
    step_.clear();
}

void engine::advance_prompt(task& t, int tokens, time_point now) {
    const auto from = t.request.prompt.begin() + t.counts.processed;
    t.slot->tokens.insert(t.slot->tokens.end(), from, from + tokens);
    t.counts.processed += tokens;
    memory_.make_checkpoint(*t.slot, t.counts.prompt_tokens);
    t.counts.prompt_time = now - t.since;
    if (t.cancelled) return finish(t, outcome::cut, now);
    if (t.request.return_progress && t.request.stream) {
        send(t, output_kind::event, prompt_progress_event(t.counts), now);
    }
    if (t.counts.processed < t.counts.prompt_tokens) return;
    t.phase = task_phase::generating;
    t.since = now;
    sample_and_send(t, now);
}

void engine::advance_token(task& t, time_point now) {
    if (t.last_token) t.slot->tokens.push_back(*t.last_token);
    t.last_token.reset();
    sample_and_send(t, now);
}

void engine::sample_and_send(task& t, time_point now) {
    if (play_fault(t, now)) return;
    const int room = context_size_ - static_cast<int>(t.slot->tokens.size());
    const sampled_token s = t.output->generate_token(room);
    t.last_token = s.id;
    t.counts.predicted = t.output->predicted();
    t.counts.predict_time = now - t.since;
    journal_.change_request(t.id, [&t](request_record& r) { r.generated = t.counts.predicted; });
    const bool noticed =
        t.cancelled || (t.disconnected_at && t.request.stream && !t.ignores_client_close());
    if (noticed) return finish(t, outcome::cut, now);
    if (s.has_event && t.request.stream) {
        const bool timed = t.request.timings_per_token || t.output->stop() == stop_kind::word;
        send(t, output_kind::event, token_event(s, t.counts, timed), now);
    }
    if (!t.output->finished()) return;
    if (t.disconnected_at && t.ignores_client_close()) {
        t.stalled_until = cancel_notice_time(t);
    } else {
        complete(t, now);
    }
}

// Plays an engine fault if its token is due. Returns true if no token may be sampled.
bool engine::play_fault(task& t, time_point now) {
    if (!t.fault || t.ignores_client_close() || t.fault->at_token != t.counts.predicted)
        return false;
    const mock::fault f = *t.fault;
    t.fault.reset();
    switch (f.kind) {
        case fault_kind::stall:
            t.stalled_until = now + fault_duration(f);
            return true;
        case fault_kind::stream_error:
            send(t, output_kind::error_event, error_event(make_error(f.status, fault_message(f))),
                 now);
            finish(t, outcome::failed, now);
            return true;
        case fault_kind::crash:
            crash();
            return true;
        default:
            return false;
    }
}

void engine::complete(task& t, time_point now) {
    if (t.request.text_to_parse) return complete_chat(t, now);
    const std::string json = final_json(t.request, *t.output, t.counts, t.slot->id, options_.model);
    if (t.request.stream) {
        send(t, output_kind::final_event, to_sse_event(json), now);
    } else {
        send(t, output_kind::reply, json, now);
    }
    finish(t, outcome::complete, now);
}

void engine::complete_chat(task& t, time_point now) {
    auto json = chat_completion_json(t.request, *t.output, t.counts, options_.model);
    if (!json) return fail(t, make_error(500, unparsable), now);
    send(t, output_kind::reply, std::move(*json), now);
    finish(t, outcome::complete, now);
}

}  // namespace tandem::mock

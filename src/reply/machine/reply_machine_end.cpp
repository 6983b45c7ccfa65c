#include "reply/machine/reply_machine.hpp"

#include <string>
#include <utility>

// How a reply ends: what the end of the server's stream means, and what is left to hand over.
namespace tandem::detail {
namespace {

using phase = reply_phase;

finish_reason to_finish_reason(wire::stop_type stop) noexcept {
    switch (stop) {
        case wire::stop_type::word:
            return finish_reason::stop_word;
        case wire::stop_type::limit:
            return finish_reason::length;
        case wire::stop_type::eos:
        case wire::stop_type::none:
            break;
    }
    return finish_reason::eos;
}

}  // namespace

void reply_machine::on_final_event(time_point now, const wire::token_event& event) {
    const auto reason = to_finish_reason(event.stop);
    read_text(now, event);
    // The last text may include ids of the stop word or of the end token.
    continuation_.record_cut();
    report_slot_mismatch(event, request_->slot);
    if (ends_in_reasoning(reason)) return end_reasoning(now, false);
    if (ends_without_speech(reason)) return force_speech(now);
    flush_withheld_text(now, reason);
    if (has_call_to_parse(reason)) return parse_calls(now, reason);
    end_request(now, false);
    end_generation(now, reason);
}

void reply_machine::flush_withheld_text(time_point now, finish_reason reason) {
    // If a limit cut the text, its end may be the beginning of a mark or of a call. A lone bracket
    // is more often text, and half a mark disturbs a listener more than it disturbs a reader.
    const bool may_be_mark = !reasoning_.is_inside() && reasoning_.withheld() > 1;
    if (reason == finish_reason::length && may_be_mark && !rules_.hands_over_reasoning)
        reasoning_.drop_withheld();
    on_visible_read(now, reasoning_.finish());
    if (reason != finish_reason::length)
        show_text(calls_.finish());
    else if (is_answer_in_json())
        show_text(calls_.show_all_as_text());
}

void reply_machine::end_generation(time_point now, finish_reason reason) {
    flush_withheld_text(now, reason);
    if (calls_.is_too_long()) return fail_call(now, make_too_long_failure());
    end_text(now, reason);
}

/// No more text follows.
void reply_machine::end_text(time_point now, finish_reason reason) {
    outcome_ = {reason};
    rest_.generated = reason;
    enter_phase(phase::generated, now);
    actions_.push_back(action::release_slot_ownership{});
    chunker_.finish();
    collect_chunks(now);
    hand_over_due_chunks(now);
}

/// Complete chunks are still handed over, even a chunk that waits for its peek.
void reply_machine::fail_generation(time_point now, failure why) {
    outcome_ = {finish_reason::error, std::move(why)};
    warming_.stop_waiting_for_slot();
    warming_.cut();
    enter_phase(phase::generated, now);
    actions_.push_back(action::release_slot_ownership{});
    chunker_.on_hold_expired();
    collect_chunks(now);
    hand_over_due_chunks(now);
}

void reply_machine::on_interrupted(time_point now) {
    if (ended()) return;
    if (phase_ == phase::idle) metrics_recorder_.record_start(now);
    finish(now, {finish_reason::interrupted});
}

void reply_machine::end_with_error(time_point now, error_code ec, const diagnostics& diag) {
    if (ended()) return;
    if (phase_ == phase::idle) metrics_recorder_.record_start(now);
    finish(now, {finish_reason::error, {ec, diag}});
}

void reply_machine::finish(time_point now, outcome how) {
    if (request_) {
        end_request(now, true);
        continuation_.record_cut();
    }
    if (phase_ == phase::queued) actions_.push_back(action::cancel_slot_request{});
    warming_.stop_waiting_for_slot();
    warming_.cut();
    ids_.forget_doubtful_ids();
    enter_phase(phase::ended, now);
    result_.finish_reason = how.reason;
    result_.error = how.error.ec;
    result_.diagnostics = std::move(how.error.diag);
    result_.unspoken_text = delivery_.held_text();
    rest_.unspoken = result_.unspoken_text + std::string(chunker_.untaken_text());
    if (rules_.is_draft) keep_drafted_chunk();
    rest_.reasoning = reasoning_;
    rest_.reasoning_text = result_.reasoning;
    rest_.meter = meter_;
    rest_.calls = calls_;
    rest_.parses_as = parses_as_;
    on_visible_read(now, reasoning_.finish());
    show_text(calls_.finish());
    result_.unspoken_text += chunker_.untaken_text();
    result_.unspoken_text += calls_.call();
    metrics_recorder_.fill_result(now, result_, continuation_.prompt_tokens());
    fill_reasoning_figures(now);
    actions_.push_back(action::finish{});
}

}  // namespace tandem::detail

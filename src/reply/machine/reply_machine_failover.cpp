#include "reply/machine/reply_machine.hpp"
#include "text/chunks/token_like_pieces.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <utility>

// The reply machine's servers: the first one, and the next one after a failure. A failed request is
// treated as an unplanned cut: its text so far is known, and the next request continues from it.
namespace tandem::detail {
namespace {

using phase = reply_phase;

}  // namespace

/// Splits the previously generated text into chunks again, word by word, because token boundaries
/// are not kept. The cleaner reads the spoken text first to learn which marks are open.
void reply_machine::resume_from_remainder(time_point now, reply_remainder rest,
                                          std::string_view spoken) {
    continuation_ = std::move(rest.text);
    has_read_here_ = has_begun();
    reasoning_ = std::move(rest.reasoning);
    meter_ = rest.meter;
    result_.reasoning = std::move(rest.reasoning_text);
    calls_ = std::move(rest.calls);
    voice_.skip_spoken_text(spoken);
    std::string_view unread = rest.unspoken;
    if (rest.drafted_chunk) {
        chunker_.feed_chunk(*rest.drafted_chunk);
        unread.remove_prefix(rest.drafted_chunk->text.size());
    }
    for (const auto word : text::token_like_pieces(unread)) chunker_.feed(word);
    if (rest.generated) return end_text(now, *rest.generated);
    if (calls_.has_call()) chunker_.finish();
    parses_as_ = rest.parses_as;
    continue_text(now);
}

// The text is visible, so any reasoning before it has ended.
void reply_machine::continue_begun_text(time_point now, const begun_text& begun,
                                        std::string_view spoken) {
    if (reasoning_.is_inside()) {
        continuation_.append_mark(reasoning_.closing_mark());
        reasoning_ = text::reasoning_filter(rules_.reasoning_tags);
        meter_ = make_meter(false);
    }
    const auto& marks = calls_.words();
    const auto in_prompt = text::find_begun_opening(marks, continuation_.text());
    continuation_.append_mark(marks.opening.substr(in_prompt.size()) + begun.text);
    has_read_here_ = true;
    voice_.skip_spoken_text(spoken);
    for (const auto word : text::token_like_pieces(begun.unspoken)) chunker_.feed(word);
    continue_text(now);
}

/// Delivers the chunks that are complete and due, and then requests more text.
void reply_machine::continue_text(time_point now) {
    ids_.request_missing_ids();
    enter_phase(phase::resting, now);
    collect_chunks(now);
    hand_over_due_chunks(now);
    this->pause_or_request_next(now);
}

void reply_machine::acquire_server(time_point now) {
    if (search_.is_asked || (retry_.retrying_since() && now < retry_.next_attempt_at())) return;
    search_.is_asked = true;
    actions_.push_back(action::request_server{});
}

void reply_machine::on_server_found(time_point now, int slots, reply_origin from) {
    if (phase_ != phase::seeking || !std::exchange(search_.is_asked, false)) return;
    warming_.set_enabled(rules_.pacing.prefills_while_speaking && slots > 1);
    ids_.on_server_found();
    // If no text was generated, a prompt from this server's own template is better than one from
    // another server.
    const bool starts_over = !has_begun() && !from.prompt.text.empty();
    if (!std::exchange(has_origin_, true) || starts_over) {
        ids_.on_text_replaced();
        return begin(now, std::move(from));
    }
    if (has_begun()) ids_.request_missing_ids();
    ids_.request_id_check();
    enter_phase(phase::resting, now);
    pause_or_request_next(now);
}

void reply_machine::on_no_server(time_point now, failure why, bool is_final) {
    if (phase_ != phase::seeking || !std::exchange(search_.is_asked, false)) return;
    const bool is_first = !retry_.retrying_since();
    if (is_final || !can_retry(now, why)) return fail_generation(now, std::move(why));
    search_.cause = std::move(why);
    if (is_first) {
        metrics_recorder_.record_failover(now);
        actions_.push_back(action::log_failover{});
    }
    acquire_server(now);
}

void reply_machine::leave_server(time_point now, server_leave_reason reason) {
    const bool needs_server =
        phase_ != phase::idle && phase_ != phase::seeking && phase_ != phase::generated && !ended();
    if (needs_server && should_leave_server(reason)) abandon(now, std::move(reason.why));
}

void reply_machine::abandon(time_point now, failure why) {
    if (phase_ == phase::queued) actions_.push_back(action::cancel_slot_request{});
    if (request_) end_request(now, true);
    handle_server_failure(now, std::move(why));
}

bool reply_machine::should_leave_server(const server_leave_reason& reason) const noexcept {
    using kind = server_leave_reason::kind;
    if (reason.what == kind::removed) return true;
    // If leaving would end the reply, the reply stays: the server may be back in time.
    if (rules_.retry_policy.retries == 0 || (rules_.is_constrained && has_begun())) return false;
    return reason.what == kind::away ? phase_ == phase::resting : !refutes_reason(reason);
}

// A running request detects by itself that the server is away.
bool reply_machine::refutes_reason(const server_leave_reason& reason) const noexcept {
    using kind = server_leave_reason::kind;
    if (!request_ || reason.what == kind::removed) return false;
    return reason.what == kind::away || request_->heard_at >= reason.check_started_at;
}

void reply_machine::handle_server_failure(time_point now, failure why) {
    const bool has_enough = phase_ == phase::peeking;
    continuation_.record_cut();
    // The token limit had been reached, so the reply would have ended next.
    if (is_token_budget_spent() && !is_parsing_calls())
        return end_generation(now, finish_reason::length);
    if (!can_retry(now, why))
        return has_enough ? end_reading(now, true) : fail_generation(now, std::move(why));
    metrics_recorder_.record_failover(now);
    actions_.push_back(action::log_failover{});
    search_.cause = std::move(why);
    search_.lost_at = now;
    warming_.stop_waiting_for_slot();
    warming_.cut();
    warming_.drop_warmed_slot();
    ids_.on_server_lost();
    enter_phase(phase::seeking, now);
    collect_chunks(now);
    hand_over_due_chunks(now);
    acquire_server(now);
}

/// Whether the reply may retry; if not, `why` gives the reason.
bool reply_machine::can_retry(time_point now, failure& why) {
    const auto what = classify_failure(why, continuation_.kept_tokens() > 0);
    if (what == failure_kind::final || rules_.retry_policy.retries == 0) return false;
    auto& words = why.diag.client_message;
    if (rules_.is_constrained && has_begun()) {
        words +=
            "; a reply that is constrained by a grammar cannot continue: a new request would "
            "restart the grammar";
        return false;
    }
    if (retry_.record_failure(now, what)) return true;
    words += fmt::format("; given up after {} consecutive failed requests (retries)",
                         rules_.retry_policy.retries + 1);
    return false;
}

// --- ids

void reply_machine::on_ids_checked(time_point now, std::string_view text) {
    if (ended() || !ids_.on_ids_checked(text)) return;
    request_slot_when_resolved(now);
    pause_or_request_next(now);
}

// If the ids are not in doubt, the next request will detect a missing server. A server that answers
// with an error may never report the text of ids, so the reply continues without ids, as it does on
// its last try.
bool reply_machine::on_ids_request_failed(time_point now, const failure& why) {
    const bool is_asking = phase_ != phase::seeking && ids_.is_waiting() && !ended();
    if (!is_asking || !ids_.are_ids_doubtful()) return false;
    const auto what = classify_failure(why, false);
    const bool is_lost =
        what == failure_kind::broken && why.ec != errc::server_error && !retry_.is_last_attempt();
    if (what != failure_kind::away && !is_lost) return false;
    abandon(now, why);
    return true;
}

// --- limits

time_point reply_machine::server_search_deadline() const {
    return search_.is_asked ? never : retry_.next_attempt_at();
}

/// While a chunk is being spoken, the listener is not waiting.
time_point reply_machine::retry_give_up_time() const {
    if (!retry_.retrying_since() || phase_ == phase::generated ||
        delivery_.count_unacknowledged() > 0)
        return never;
    return retry_.give_up_deadline(listener_waits_since_);
}

void reply_machine::give_up(time_point now) {
    if (phase_ == phase::queued) actions_.push_back(action::cancel_slot_request{});
    if (request_) end_request(now, true);
    auto why = std::move(search_.cause);
    why.diag.client_message +=
        fmt::format("; no server continued the reply within resume_within of {}",
                    to_string(rules_.retry_policy.resume_within));
    fail_generation(now, std::move(why));
}

/// When to end a sentence that may have been complete when the server failed, because the peek
/// after that sentence may take long.
time_point reply_machine::peek_hold_deadline() const {
    const bool is_trying = phase_ == phase::seeking || phase_ == phase::resolving ||
                           phase_ == phase::queued || phase_ == phase::first_token;
    if (!retry_.retrying_since() || !is_trying ||
        chunker_.current() != text::chunker::status::holding)
        return never;
    return search_.lost_at + rules_.peek_hold;
}

void reply_machine::handle_peek_hold_expiry(time_point now) {
    chunker_.on_hold_expired();
    hand_over_before_request(now);
}

/// A chunk may be complete without the pending request, which is then needed only for later chunks.
void reply_machine::hand_over_before_request(time_point now) {
    collect_chunks(now);
    hand_over_due_chunks(now);
    const bool is_before_request = phase_ == phase::queued || phase_ == phase::resolving;
    if (!is_before_request || delivery_.count_unacknowledged() <= rules_.pacing.low_watermark)
        return;
    if (phase_ == phase::queued) actions_.push_back(action::cancel_slot_request{});
    enter_phase(phase::resting, now);
    pause_or_request_next(now);
}

}  // namespace tandem::detail

#include "reply/machine/reply_machine.hpp"

#include "reply/machine/server_timing.hpp"

#include <array>

// The machine's requests and hand-over. reply_machine_reading.cpp contains the reading,
// reply_machine_end.cpp the end, and reply_machine_deadlines.cpp the time limits.
namespace tandem::detail {
namespace {

using phase = reply_phase;

}  // namespace

std::string_view name_of(reply_phase p) noexcept {
    constexpr std::array<std::string_view, reply_phases> names{
        "idle",    "seeking", "resolving", "queued",    "first_token", "streaming",
        "holding", "peeking", "resting",   "generated", "ended"};
    return names[static_cast<std::size_t>(p)];
}

reply_machine::reply_machine(std::uint64_t id, reply_rules rules,
                             std::unique_ptr<text::boundary_detector> detector,
                             text::chunk_limits limits)
    : id_(id),
      rules_(std::move(rules)),
      chunker_(std::move(detector), limits),
      voice_(rules_.speech),
      delivery_(id, rules_.lookahead),
      retry_(rules_.retry_policy, id) {}

void reply_machine::enter_phase(reply_phase next, time_point now) {
    made_.set(static_cast<std::size_t>(phase_) * reply_phases + static_cast<std::size_t>(next));
    phase_ = next;
    phase_since_ = now;
}

void reply_machine::start(time_point now) {
    if (phase_ != phase::idle) return;
    started_ = listener_waits_since_ = now;
    metrics_recorder_.record_start(now);
    enter_phase(phase::seeking, now);
    acquire_server(now);
}

void reply_machine::begin(time_point now, reply_origin from) {
    metrics_recorder_.add_early_work(from.early);
    call_lead_ = std::move(from.call_lead);
    if (from.rest) {
        // The interrupted reply has no mark if it was streamed to a reader.
        if (!from.rest->calls.has_mark()) from.rest->calls.set_mark(std::move(from.call_mark));
        return resume_from_remainder(now, std::move(*from.rest), from.spoken);
    }
    continuation_ = reply_transcript(std::move(from.prompt), rules_.has_stop_words);
    reasoning_ = text::reasoning_filter(
        rules_.reasoning_tags,
        text::find_open_reasoning(continuation_.prompt(), rules_.reasoning_tags));
    meter_ = make_meter(reasoning_.is_inside());
    calls_ = make_splitter(from);
    // Text that another process began consists of words, so the opening mark of the words precedes
    // it.
    calls_.start_after_prompt(from.begun ? from.word_marks.opening : continuation_.prompt());
    if (from.begun) return continue_begun_text(now, *from.begun, from.spoken);
    next_request(now);
}

// --- events from the server

void reply_machine::on_prompt_tokenized(time_point now, std::vector<wire::token_id> ids) {
    if (ended()) return;
    ids_.on_prompt_tokenized(std::move(ids));
    on_ids_resolved(now);
}

void reply_machine::on_tokens_recovered(time_point now, std::span<const wire::token_id> ids) {
    if (!ended() && ids_.on_tokens_recovered(ids)) on_ids_resolved(now);
}

void reply_machine::on_ids_resolved(time_point now) {
    if (phase_ != phase::seeking) ids_.request_id_check();
    request_slot_when_resolved(now);
    pause_or_request_next(now);
}

void reply_machine::on_slot_granted(time_point now, int slot, bool reused, duration guard_wait) {
    if (phase_ != phase::queued) return;
    request_ = {slot, now};
    failed_slot_.reset();
    enter_phase(phase::first_token, now);
    metrics_recorder_.record_request_sent(now, slot, reused, guard_wait);
    warming_.on_next_request_granted();
    if (is_parsing_calls()) return request_calls(slot);
    continuation_.begin_request();
    // The beginning of a chunk that the last request left waited for the consumer, so the chunk's
    // deadline restarts. After a failure, the deadline keeps running, because the listener hears
    // nothing.
    if (!retry_.retrying_since()) open_chunk_.since.reset();
    actions_.push_back(make_request(slot));
}

void reply_machine::on_response_started(time_point now, std::optional<duration> connect_duration) {
    if (phase_ != phase::first_token || std::exchange(request_->has_started, true)) return;
    request_->heard_at = now;
    if (connect_duration) metrics_recorder_.on_connected(*connect_duration);
    retry_.on_started();
    if (const auto held = now - phase_since_; held >= late_start_threshold)
        actions_.push_back(action::log_late_start{request_->slot, held});
}

void reply_machine::on_event_read(time_point now, const wire::token_event& event) {
    using kind = wire::token_event::kind;
    if (!has_running_request()) return;
    request_->heard_at = now;
    metrics_recorder_.on_event_read(now, event);
    switch (event.what) {
        case kind::progress:
            // Shows a reader that the server is still evaluating a long prompt.
            if (!rules_.hands_over_reasoning || !wire::is_partial_prompt_progress(event)) return;
            delivery_.add_reasoning(now, {});
            return hand_over_due_chunks(now);
        case kind::token:
            if (!event.content.empty()) {
                has_read_here_ = true;
                retry_.on_progress();
            }
            return on_token_read(now, event);
        case kind::final:
            return on_final_event(now, event);
        case kind::error:
            return;  // the shell reports it through on_request_failed()
    }
}

void reply_machine::on_request_failed(time_point now, failure why) {
    if (!has_running_request()) return;
    if (is_parsing_calls() && is_parse_error(why.ec) && can_force_calls()) return force_calls(now);
    failed_slot_ = running_slot();
    if (is_connect_error(why.ec)) metrics_recorder_.record_connect_failure(now);
    end_request(now, false);
    if (is_parsing_calls() && is_parse_error(why.ec)) return fail_call(now, std::move(why));
    // The context is full: an uncut reply would have ended here, too. But if this server has not
    // sent any text, its context may only be smaller than that of the previous server.
    if (why.ec == errc::prompt_too_long && has_read_here_)
        return end_generation(now, finish_reason::length);
    handle_server_failure(now, std::move(why));
}

void reply_machine::on_slot_refused(time_point now) {
    if (phase_ != phase::queued) return;
    fail_generation(now,
                    {errc::queue_full,
                     {.client_message = "the number of waiting replies has reached queue_limit; "
                                        "use more slots or servers, or start fewer replies"}});
}

// Partial events and old servers report no slot: -1.
void reply_machine::report_slot_mismatch(const wire::token_event& last, int asked) {
    if (last.id_slot >= 0 && last.id_slot != asked)
        actions_.push_back(action::log_slot_mismatch{asked, last.id_slot});
}

void reply_machine::on_warm_slot_granted(time_point now, int slot) {
    if (!is_waiting_for_warm_slot()) return;
    metrics_recorder_.record_warming_request(now, slot);
    warming_.on_slot_granted(now, slot);
}

void reply_machine::on_warming_started() noexcept {
    warming_.on_started();
}

void reply_machine::on_warming_event(time_point now, const wire::token_event& event) {
    if (!warming_.is_running() || event.what != wire::token_event::kind::final) return;
    report_slot_mismatch(event, warming_.running_slot());
    metrics_recorder_.record_warming_end(now, warming_.running_slot(), event);
    warming_.on_answered();
    pause_or_request_next(now);
}

// If the server is gone, looks for another one while the voice is speaking. Any other failure
// recurs in the next request, which reports it.
void reply_machine::on_warming_failed(time_point now, failure why) {
    warming_.on_failed();
    const bool seeks = rules_.retry_policy.retries > 0 && phase_ == phase::resting;
    if (seeks && classify_failure(why, false) == failure_kind::away)
        return handle_server_failure(now, std::move(why));
    pause_or_request_next(now);
}

// --- requests

/// No request is running: sends or prefills the next one, as the pacing requires.
void reply_machine::pause_or_request_next(time_point now) {
    // A chunk that is ready goes out before the request for later ones, because sending takes time.
    if (phase_ != phase::resting || delivery_.is_waiting_for_request()) return;
    if (needs_next_request(now)) return next_request(now);
    if (!ids_.is_waiting() && !is_token_budget_spent()) warming_.on_reply_paused(text().size());
}

void reply_machine::next_request(time_point now) {
    warming_.stop_waiting_for_slot();
    if (is_token_budget_spent() && !is_parsing_calls())
        return end_generation(now, finish_reason::length);
    enter_phase(phase::resolving, now);
    request_slot_when_resolved(now);
}

bool reply_machine::is_token_budget_spent() const noexcept {
    return rules_.max_tokens > 0 && continuation_.kept_tokens() >= rules_.max_tokens;
}

void reply_machine::request_slot_when_resolved(time_point now) {
    if (phase_ != phase::resolving || ids_.is_waiting()) return;
    enter_phase(phase::queued, now);
    metrics_recorder_.record_slot_request(now);
    actions_.push_back(action::request_slot{.is_urgent = delivery_.count_unacknowledged() == 0});
}

void reply_machine::end_request(time_point now, bool cut) {
    actions_.push_back(action::close_connection{});
    metrics_recorder_.record_request_end(now);
    meter_.on_request_ended(now);
    is_speech_forced_ = false;
    if (cut) metrics_recorder_.record_cut(now);
    const bool has_tokens = phase_ != phase::first_token;
    actions_.push_back(action::release_slot{
        .slot = request_->slot,
        .note = {.server_state = cut && !has_tokens ? slots::server_slot_state::maybe_busy
                                                    : slots::server_slot_state::idle,
                 .needed_at = cut ? speech_runs_out_at(now) : never,
                 .generated = metrics_recorder_.generated(),
                 .cached = metrics_recorder_.cached_tokens(),
                 .evaluated = metrics_recorder_.evaluated_tokens()},
        .was_cut = cut,
        .erase = cut && rules_.erase_after_cut,
        .holds_bytes = has_tokens ? text().size() : 0});
    request_.reset();
}

// Omits the last token. A server always evaluates the last token of a prompt; if the slot already
// held it, the server would have to remove it from its cache, which is expensive for models that
// cannot do so.
prompt_view reply_machine::warming_prompt() const {
    auto prompt = next_prompt();
    if (prompt.as_ids() && prompt.ids.size() > 1)
        prompt.ids = prompt.ids.first(prompt.ids.size() - 1);
    return prompt;
}

// --- chunks

void reply_machine::on_chunk_requested(time_point now) {
    if (ended()) return;
    delivery_.request_chunk();
    hand_over_due_chunks(now);
    pause_or_request_next(now);
}

void reply_machine::on_continued(time_point now, chunk_id id) {
    if (ended() || !delivery_.is_unspoken(id)) return;
    on_speech_ended(now, id);
    if (delivery_.count_unacknowledged() == 0) listener_waits_since_ = now;
    if (phase_ == phase::queued) actions_.push_back(action::update_slot_request{});
    if (phase_ == phase::peeking && rules_.pacing.continue_revokes_cut) {
        collect_chunks(now);
        if (!is_lead_full(now)) {
            enter_phase(phase::streaming, now);
            continue_reading(now);
        }
    }
    hand_over_due_chunks(now);
    pause_or_request_next(now);
}

void reply_machine::hand_over_due_chunks(time_point now) {
    if (rules_.is_draft) return end_complete_draft(now);
    if (delivery_.is_hand_over_due()) hand_over(now);
    if (outcome_ && delivery_.is_fully_spoken(counts_request_as_continue()) && !ended())
        finish(now, *std::exchange(outcome_, {}));
}

void reply_machine::hand_over(time_point now) {
    auto c = delivery_.hand_over(now, voice_);
    if (!c.early) on_speech_started(now);
    if (!c.text.empty()) {
        // The last chunk has the boundary `end`, even if it was complete before generation ended.
        if (outcome_ && !outcome_->error.ec && delivery_.has_no_held_text())
            c.boundary = boundary::end;
        metrics_recorder_.record_hand_over(now, c);
        result_.text += c.text;
    }
    actions_.push_back(action::hand_over{std::move(c)});
}

// If the reply has ended, its result already contains the metrics, so the wait is added to the
// result.
void reply_machine::on_slot_wait_cancelled(duration guard_wait) {
    if (guard_wait <= duration{}) return;
    if (!ended()) return metrics_recorder_.record_guard_wait(guard_wait);
    ++result_.metrics.guard_waits;
    result_.metrics.guard_wait_ms += to_ms(guard_wait);
}

reply_remainder reply_machine::take_remainder() {
    rest_.text = std::move(continuation_);
    rest_.pace = pace_;
    return std::move(rest_);
}

}  // namespace tandem::detail

#include "reply/machine/reply_machine.hpp"

#include "reply/machine/server_pace.hpp"

#include <algorithm>
#include <array>
#include <utility>

// The machine: what is requested and handed over. What is read is in reply_machine_reading.cpp, and
// its limits are in reply_machine_limits.cpp.
namespace tandem::detail {
namespace {

using phase = reply_phase;

finish_reason reason_of(wire::stop_type stop) noexcept {
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
      cleaner_(rules_.clean),
      delivery_(id),
      going_on_(rules_.going_on, id) {}

void reply_machine::enter(reply_phase next, time_point now) {
    made_.set(static_cast<std::size_t>(phase_) * reply_phases + static_cast<std::size_t>(next));
    phase_ = next;
    phase_since_ = now;
}

void reply_machine::start(time_point now) {
    if (phase_ != phase::idle) return;
    started_ = listener_waits_since_ = now;
    tally_.started(now);
    enter(phase::seeking, now);
    seek(now);
}

void reply_machine::begin(time_point now, reply_origin from) {
    if (from.rest) return go_on_from(now, std::move(*from.rest), from.spoken);
    continuation_ = continuation(std::move(from.prompt), rules_.has_stop_words);
    reasoning_ = text::reasoning_filter(
        rules_.reasoning_tags, text::open_reasoning(continuation_.prompt(), rules_.reasoning_tags));
    next_request(now);
}

// --- what the server says

void reply_machine::prompt_tokenized(time_point now, std::vector<wire::token_id> ids) {
    if (ended()) return;
    prompt_ids_pending_ = false;
    continuation_.prompt_tokenized(std::move(ids));
    ids_answered(now);
}

void reply_machine::tokens_recovered(time_point now, std::span<const wire::token_id> ids) {
    if (ended() || !recovery_pending_) return;
    recovery_pending_ = false;
    if (ids.empty())
        ids_can_be_had_ = false;
    else
        continuation_.recovered(ids);
    ids_answered(now);
}

void reply_machine::ids_answered(time_point now) {
    if (phase_ != phase::seeking) check_ids();
    want_slot_when_resolved(now);
    rest(now);
}

void reply_machine::slot_granted(time_point now, int slot, bool reused, duration guard_wait) {
    if (phase_ != phase::queued) return;
    slot_ = slot;
    begun_ = false;
    heard_at_ = now;
    failed_slot_.reset();
    enter(phase::first_token, now);
    tally_.request_sent(now, slot, reused, guard_wait);
    warming_.request_sent();
    continuation_.begin_request();
    // What was carried into this request has waited for the consumer, not for the model; but after
    // a failure the listener hears nothing.
    if (!going_on_.since()) chunk_since_.reset();
    const int left = rules_.max_tokens - continuation_.kept_tokens();
    actions_.push_back(action::send_request{slot, rules_.max_tokens > 0 ? left : -1});
}

void reply_machine::answer_begun(time_point now, std::optional<duration> connected_after) {
    if (phase_ != phase::first_token || std::exchange(begun_, true)) return;
    heard_at_ = now;
    if (connected_after) tally_.connected(*connected_after);
    going_on_.begun();
    if (const auto held = now - phase_since_; held >= late_beginning)
        actions_.push_back(action::tell_held_back{*slot_, held});
}

void reply_machine::event_read(time_point now, const wire::token_event& event) {
    using kind = wire::token_event::kind;
    if (!requesting()) return;
    heard_at_ = now;
    tally_.event_read(now, event);
    switch (event.what) {
        case kind::progress:
            // A long prompt is no silence to who reads along.
            if (!rules_.hands_over_reasoning || !wire::is_in_mid_prompt(event)) return;
            delivery_.add_reasoning(now, {});
            return deliver(now);
        case kind::token:
            if (!event.content.empty()) {
                has_read_here_ = true;
                going_on_.progressed();
            }
            return token_read(now, event);
        case kind::final:
            read_text(now, event);
            // The last text may have come with ids of the stop word, or of the end token.
            continuation_.cut();
            check_slot(event, *slot_);
            end_request(now, false);
            return generation_ended(now, reason_of(event.stop));
        case kind::error:
            return;  // the shell tells it as request_failed()
    }
}

void reply_machine::request_failed(time_point now, failure why) {
    if (!requesting()) return;
    failed_slot_ = slot_;
    if (is_of_connecting(why.ec)) tally_.not_connected(now);
    end_request(now, false);
    // An uncut reply would have ended here with the context used up; but not at a server whose
    // context is smaller than that of the one before.
    if (why.ec == errc::prompt_too_long && has_read_here_)
        return generation_ended(now, finish_reason::length);
    lost(now, std::move(why));
}

void reply_machine::slot_refused(time_point now) {
    if (phase_ != phase::queued) return;
    generation_failed(
        now, {errc::queue_full,
              {.client_message = "as many replies wait for a slot as queue_limit allows; use more "
                                 "slots or servers, or start fewer replies"}});
}

// Partial events and old servers do not tell the slot: -1.
void reply_machine::check_slot(const wire::token_event& last, int asked) {
    if (last.id_slot >= 0 && last.id_slot != asked)
        actions_.push_back(action::tell_other_slot{asked, last.id_slot});
}

void reply_machine::warm_slot_granted(time_point now, int slot) {
    if (!wants_warm_slot()) return;
    tally_.warming_sent(now, slot);
    warming_.slot_granted(now, slot);
}

void reply_machine::warming_begun() noexcept {
    warming_.begun();
}

void reply_machine::warming_read(time_point now, const wire::token_event& event) {
    if (!warming_.is_running() || event.what != wire::token_event::kind::final) return;
    check_slot(event, warming_.running_on());
    tally_.warmed(now, warming_.running_on(), event);
    warming_.answered();
    rest(now);
}

// Where a server is gone, the time that the voice takes is used to find another one. All else the
// next request meets, too, and tells.
void reply_machine::warming_failed(time_point now, failure why) {
    warming_.failed();
    const bool seeks = rules_.going_on.retries > 0 && phase_ == phase::resting;
    if (seeks && kind_of(why.ec, false) == failure_kind::away) return lost(now, std::move(why));
    rest(now);
}

// --- requests

/// Nothing runs: the next request is wanted, or prefilled, as the pacing says.
void reply_machine::rest(time_point now) {
    // A chunk that can be had goes before the request for later ones: sending takes its time.
    if (phase_ != phase::resting || delivery_.is_offered()) return;
    if (delivery_.lead() <= rules_.pacing.request_at) return next_request(now);
    if (can_warm_ && !ids_are_pending() && !is_used_up()) warming_.reply_rests(text().size());
}

void reply_machine::next_request(time_point now) {
    warming_.give_up_waiting();
    if (is_used_up()) return generation_ended(now, finish_reason::length);
    enter(phase::resolving, now);
    want_slot_when_resolved(now);
}

bool reply_machine::is_used_up() const noexcept {
    return rules_.max_tokens > 0 && continuation_.kept_tokens() >= rules_.max_tokens;
}

void reply_machine::want_slot_when_resolved(time_point now) {
    if (phase_ != phase::resolving || ids_are_pending()) return;
    enter(phase::queued, now);
    tally_.slot_wanted(now);
    actions_.push_back(action::want_slot{.is_urgent = delivery_.lead() == 0});
}

void reply_machine::end_request(time_point now, bool cut) {
    actions_.push_back(action::close_connection{});
    tally_.request_over(now);
    if (cut) tally_.cut(now);
    const bool has_tokens = phase_ != phase::first_token;
    actions_.push_back(action::release_slot{
        .slot = *slot_,
        .side = cut && !has_tokens ? slots::server_side::maybe_busy : slots::server_side::idle,
        .cut = cut,
        .erase = cut && rules_.erase_after_cut,
        .holds_bytes = has_tokens ? text().size() : 0});
    slot_.reset();
}

// The ids that the next request needs are asked for while the chunk is spoken. A reply of one
// request never asks.
void reply_machine::ask_for_ids() {
    if (!std::exchange(prompt_ids_asked_, true) && continuation_.prompt_is_unknown()) {
        prompt_ids_pending_ = true;
        actions_.push_back(action::tokenize_prompt{});
    }
    if (auto texts = continuation_.lost_texts(); ids_can_be_had_ && !texts.empty()) {
        recovery_pending_ = true;
        actions_.push_back(action::recover_tokens{std::move(texts)});
    }
}

// A slot that holds the whole prompt would evaluate its last token again, which a model that cannot
// take tokens back pays with more.
prompt_view reply_machine::warming_prompt() const {
    auto prompt = next_prompt();
    if (prompt.as_ids() && prompt.ids.size() > 1)
        prompt.ids = prompt.ids.first(prompt.ids.size() - 1);
    return prompt;
}

// --- chunks and ends

void reply_machine::chunk_wanted(time_point now) {
    if (ended()) return;
    delivery_.wanted();
    deliver(now);
    rest(now);
}

void reply_machine::continued(time_point now, chunk_id id) {
    if (ended() || !delivery_.continued(now, id)) return;
    if (!shows_no_text_) tally_.continued(now);
    if (delivery_.lead() == 0) {
        listener_waits_since_ = now;
        if (phase_ == phase::queued && going_on_.since()) actions_.push_back(action::raise_wish{});
    }
    if (phase_ == phase::peeking && rules_.pacing.goes_on_uncut) {
        collect_chunks(now);
        if (delivery_.lead() < rules_.pacing.cut_at) {
            enter(phase::streaming, now);
            read_on(now);
        }
    }
    deliver(now);
    rest(now);
}

void reply_machine::deliver(time_point now) {
    if (delivery_.is_due()) hand_over(now);
    if (outcome_ && delivery_.is_done() && !ended()) finish(now, *std::exchange(outcome_, {}));
}

void reply_machine::hand_over(time_point now) {
    auto c = delivery_.hand_over(now);
    shows_no_text_ = c.text.empty();
    if (shows_no_text_) return actions_.push_back(action::hand_over{std::move(c)});
    // The end of generation tells that a chunk is the last one, also where a sentence ends it.
    if (outcome_ && !outcome_->error.ec && delivery_.holds_no_text()) c.boundary = boundary::end;
    c.speech = speech_of(cleaner_, c.text);
    tally_.handed_over(now, c);
    result_.text += c.text;
    actions_.push_back(action::hand_over{std::move(c)});
}

void reply_machine::generation_ended(time_point now, finish_reason reason) {
    outcome_ = {reason};
    rest_.generated = reason;
    enter(phase::generated, now);
    actions_.push_back(action::leave_slots{});
    const auto withheld = reasoning_.finish();
    reasoning_read(now, withheld.reasoning);
    chunker_.feed(withheld.text, withheld.tokens);
    chunker_.finish();
    collect_chunks(now);
    deliver(now);
}

/// Chunks that were complete before are handed over still.
void reply_machine::generation_failed(time_point now, failure why) {
    outcome_ = {finish_reason::error, std::move(why)};
    warming_.give_up_waiting();
    warming_.cut();
    enter(phase::generated, now);
    actions_.push_back(action::leave_slots{});
    deliver(now);
}

void reply_machine::interrupted(time_point now) {
    if (ended()) return;
    if (phase_ == phase::idle) tally_.started(now);
    finish(now, {finish_reason::interrupted});
}

void reply_machine::abandoned(time_point now, error_code ec, const diagnostics& diag) {
    if (ended()) return;
    if (phase_ == phase::idle) tally_.started(now);
    finish(now, {finish_reason::error, {ec, diag}});
}

// Where the end takes a wish back, the figures are there already.
void reply_machine::wait_given_up(duration guard_wait) {
    if (guard_wait <= duration{}) return;
    if (!ended()) return tally_.guard_waited(guard_wait);
    ++result_.metrics.guard_waits;
    result_.metrics.guard_wait_ms += to_ms(guard_wait);
}

void reply_machine::finish(time_point now, outcome how) {
    if (slot_) {
        end_request(now, true);
        continuation_.cut();
    }
    if (phase_ == phase::queued) actions_.push_back(action::forget_slot{});
    warming_.give_up_waiting();
    warming_.cut();
    // Who continues from here does not know whose they are.
    if (ids_unproven_) continuation_.forget_ids();
    enter(phase::ended, now);
    result_.finish_reason = how.reason;
    result_.error = how.error.ec;
    result_.diagnostics = std::move(how.error.diag);
    result_.unspoken_text = delivery_.held_text();
    result_.unspoken_text += chunker_.unread();
    rest_.unspoken = result_.unspoken_text;
    rest_.reasoning = reasoning_;
    const auto withheld = reasoning_.finish();
    result_.unspoken_text += withheld.text;
    reasoning_read(now, withheld.reasoning);
    tally_.ended(now, result_, continuation_.prompt_tokens());
    actions_.push_back(action::finish{});
}

reply_rest reply_machine::take_rest() {
    rest_.text = std::move(continuation_);
    return std::move(rest_);
}

}  // namespace tandem::detail

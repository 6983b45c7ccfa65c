#include "reply/machine/reply_machine.hpp"
#include "text/chunks/word_pieces.hpp"

#include <fmt/format.h>

#include <utility>

// The reply machine's servers: the first one, and the next where one has failed. A request that
// failed is a cut that nobody wanted: what was read of it is known, and the next one continues
// there.
namespace tandem::detail {
namespace {

using phase = reply_phase;

/// Token ids of another vocabulary say other words, or none. A server may put its first token
/// before the text.
bool say_the_same(std::string_view ids, std::string_view text) {
    constexpr std::size_t longest_first_token = 64;
    return !ids.empty() && ids.ends_with(text) && ids.size() - text.size() <= longest_first_token;
}

}  // namespace

/// What was generated before is divided again, word by word as the tokens' own ends are not kept;
/// the cleaner learns from the text before it what is open there.
void reply_machine::go_on_from(time_point now, reply_rest rest, std::string_view spoken) {
    continuation_ = std::move(rest.text);
    has_read_here_ = has_begun();
    reasoning_ = std::move(rest.reasoning);
    cleaner_.clean(spoken);
    for (const auto word : text::word_pieces(rest.unspoken)) chunker_.feed(word);
    if (rest.generated) return generation_ended(now, *rest.generated);
    ask_for_ids();
    enter(phase::resting, now);
    collect_chunks(now);
    deliver(now);
    this->rest(now);
}

void reply_machine::seek(time_point now) {
    if (seek_asked_ || (going_on_.since() && now < going_on_.next_try())) return;
    seek_asked_ = true;
    actions_.push_back(action::seek_server{});
}

void reply_machine::server_found(time_point now, int slots, reply_origin from) {
    if (phase_ != phase::seeking || !std::exchange(seek_asked_, false)) return;
    can_warm_ = rules_.pacing.warms && slots > 1;
    prompt_ids_asked_ = false;
    ids_can_be_had_ = true;
    // Where nothing was said, this server's own prompt is better than that of another one.
    const bool starts_over = !has_begun() && !from.prompt.text.empty();
    if (!std::exchange(has_origin_, true) || starts_over) {
        ids_unproven_ = false;
        return begin(now, std::move(from));
    }
    if (has_begun()) ask_for_ids();
    check_ids();
    enter(phase::resting, now);
    rest(now);
}

void reply_machine::no_server(time_point now, failure why, bool is_final) {
    if (phase_ != phase::seeking || !std::exchange(seek_asked_, false)) return;
    const bool is_first = !going_on_.since();
    if (is_final || !may_go_on(now, why)) return generation_failed(now, std::move(why));
    lost_to_ = std::move(why);
    if (is_first) {
        tally_.lost(now);
        actions_.push_back(action::tell_lost{});
    }
    seek(now);
}

void reply_machine::leave_server(time_point now, reason_to_leave reason) {
    const bool needs_server =
        phase_ != phase::idle && phase_ != phase::seeking && phase_ != phase::generated && !ended();
    if (needs_server && should_leave(reason)) abandon(now, std::move(reason.why));
}

void reply_machine::abandon(time_point now, failure why) {
    if (phase_ == phase::queued) actions_.push_back(action::forget_slot{});
    if (slot_) end_request(now, true);
    lost(now, std::move(why));
}

bool reply_machine::should_leave(const reason_to_leave& reason) const noexcept {
    using kind = reason_to_leave::kind;
    if (reason.what == kind::removed) return true;
    // Where leaving would end the reply, the server may be back in time.
    if (rules_.going_on.retries == 0 || (rules_.is_constrained && has_begun())) return false;
    // Who wants something of it finds out for itself that it is away.
    if (reason.what == kind::away) return phase_ == phase::resting;
    return !slot_ || heard_at_ < reason.asked;
}

void reply_machine::lost(time_point now, failure why) {
    const bool has_enough = phase_ == phase::peeking;
    continuation_.cut();
    // The end was on its way.
    if (is_used_up()) return generation_ended(now, finish_reason::length);
    if (!may_go_on(now, why))
        return has_enough ? reading_ended(now, true) : generation_failed(now, std::move(why));
    tally_.lost(now);
    actions_.push_back(action::tell_lost{});
    lost_to_ = std::move(why);
    lost_at_ = now;
    warming_.give_up_waiting();
    warming_.cut();
    warming_.forget();
    prompt_ids_pending_ = recovery_pending_ = ids_check_pending_ = false;
    ids_unproven_ = true;
    enter(phase::seeking, now);
    collect_chunks(now);
    deliver(now);
    seek(now);
}

/// Where not, `why` says more.
bool reply_machine::may_go_on(time_point now, failure& why) {
    const auto what = kind_of(why.ec, continuation_.kept_tokens() > 0);
    if (what == failure_kind::final || rules_.going_on.retries == 0) return false;
    auto& words = why.diag.client_message;
    if (rules_.is_constrained && has_begun()) {
        words +=
            "; a reply that is constrained by a grammar cannot go on: a new request would not know "
            "how far the grammar has come";
        return false;
    }
    if (going_on_.failed(now, what)) return true;
    words += fmt::format("; given up after {} requests in a row that broke off (retries)",
                         rules_.going_on.retries + 1);
    return false;
}

// --- ids

/// The next request sends no ids that another server gave before this one has said what they mean.
void reply_machine::check_ids() {
    if (!ids_unproven_ || ids_are_pending()) return;
    // Those of the text are of no use without the prompt's, and would be unproven after them later.
    if (next_prompt().ids.empty()) return do_without_ids();
    ids_check_pending_ = true;
    actions_.push_back(action::check_ids{});
}

void reply_machine::ids_checked(time_point now, std::string_view text) {
    if (ended() || !std::exchange(ids_check_pending_, false)) return;
    auto known = this->text();
    known.remove_suffix(next_prompt().text.size());
    if (!say_the_same(text, known)) continuation_.forget_ids();
    ids_unproven_ = false;
    want_slot_when_resolved(now);
    rest(now);
}

// Where the ids are not in doubt, the request finds out that nobody is there. A server that answers
// with an error may tell nobody what ids say: the reply continues without them, as at its last try.
bool reply_machine::left_unanswered(time_point now, const failure& why) {
    const bool is_asking = phase_ != phase::seeking && ids_are_pending() && !ended();
    if (!is_asking || !ids_unproven_) return false;
    const auto what = kind_of(why.ec, false);
    const bool is_lost =
        what == failure_kind::broken && why.ec != errc::server_error && !going_on_.is_at_last_try();
    if (what != failure_kind::away && !is_lost) return false;
    abandon(now, why);
    return true;
}

void reply_machine::do_without_ids() {
    prompt_ids_pending_ = recovery_pending_ = ids_check_pending_ = false;
    if (std::exchange(ids_unproven_, false) && continuation_.has_ids()) continuation_.forget_ids();
}

// --- limits

time_point reply_machine::seeking_due() const {
    return seek_asked_ ? never : going_on_.next_try();
}

/// While a chunk is spoken nobody waits.
time_point reply_machine::patience_over() const {
    if (!going_on_.since() || phase_ == phase::generated || delivery_.lead() > 0) return never;
    return going_on_.given_up_at(listener_waits_since_);
}

void reply_machine::give_up(time_point now) {
    if (phase_ == phase::queued) actions_.push_back(action::forget_slot{});
    if (slot_) end_request(now, true);
    auto why = std::move(lost_to_);
    why.diag.client_message += fmt::format("; no server went on within resume_within of {:.1f} s",
                                           to_ms(rules_.going_on.resume_within) / 1000);
    generation_failed(now, std::move(why));
}

/// A sentence that may be over when the server fails: the peek may be long in coming.
time_point reply_machine::hold_due() const {
    const bool is_trying = phase_ == phase::seeking || phase_ == phase::resolving ||
                           phase_ == phase::queued || phase_ == phase::first_token;
    if (!going_on_.since() || !is_trying || chunker_.current() != text::chunker::status::holding)
        return never;
    return lost_at_ + rules_.peek_hold;
}

void reply_machine::hold_overdue(time_point now) {
    chunker_.hold_expired();
    hand_over_before_request(now);
}

/// A chunk can be had without the request that is wanted: that may be for later ones now.
void reply_machine::hand_over_before_request(time_point now) {
    collect_chunks(now);
    deliver(now);
    const bool is_before_request = phase_ == phase::queued || phase_ == phase::resolving;
    if (!is_before_request || delivery_.lead() <= rules_.pacing.request_at) return;
    if (phase_ == phase::queued) actions_.push_back(action::forget_slot{});
    enter(phase::resting, now);
    rest(now);
}

}  // namespace tandem::detail

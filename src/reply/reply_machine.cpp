#include "reply/reply_machine.hpp"

#include "text/white_space.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tandem::detail {
namespace {

using phase = reply_phase;
using status = text::chunker::status;

// Ids are worth a short wait; without them the reply goes on as text.
constexpr duration longest_resolving = std::chrono::milliseconds(500);

// A server with an idle slot begins a request within some round trips.
constexpr duration late_beginning = std::chrono::milliseconds(500);

// The server sends what is left before a stop word, and the end of the stream right behind it.
constexpr duration end_follows = std::chrono::milliseconds(100);

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

reply_machine::reply_machine(std::uint64_t id, std::string prompt, reply_rules rules,
                             std::unique_ptr<text::boundary_detector> detector,
                             text::chunk_limits limits)
    : id_(id),
      rules_(std::move(rules)),
      continuation_(std::move(prompt), rules_.has_stop_words),
      reasoning_(rules_.reasoning_tags,
                 text::open_reasoning(continuation_.prompt(), rules_.reasoning_tags)),
      chunker_(std::move(detector), limits),
      cleaner_(rules_.clean) {}

bool reply_machine::requesting() const noexcept {
    return slot_.has_value();
}

void reply_machine::enter(reply_phase next, time_point now) {
    phase_ = next;
    phase_since_ = now;
}

void reply_machine::start(time_point now) {
    if (phase_ != phase::idle) return;
    tally_.started(now);
    next_request(now);
}

void reply_machine::prompt_tokenized(time_point now, std::vector<wire::token_id> ids) {
    if (ended()) return;
    prompt_ids_pending_ = false;
    continuation_.prompt_tokenized(std::move(ids));
    want_slot_when_resolved(now);
}

void reply_machine::tokens_recovered(time_point now, std::span<const wire::token_id> ids) {
    if (ended() || !recovery_pending_) return;
    recovery_pending_ = false;
    continuation_.recovered(ids);
    want_slot_when_resolved(now);
}

void reply_machine::slot_granted(time_point now, int slot, bool reused, duration guard_wait) {
    if (phase_ != phase::queued) return;
    slot_ = slot;
    begun_ = false;
    enter(phase::first_token, now);
    tally_.request_sent(now, slot, reused, guard_wait);
    continuation_.begin_request();
    const int left = rules_.max_tokens - continuation_.kept_tokens();
    actions_.push_back(action::send_request{slot, rules_.max_tokens > 0 ? left : -1});
}

void reply_machine::answer_begun(time_point now) {
    if (phase_ != phase::first_token || std::exchange(begun_, true)) return;
    if (const auto held = now - phase_since_; held >= late_beginning)
        actions_.push_back(action::tell_held_back{*slot_, held});
}

void reply_machine::event_read(time_point now, const wire::token_event& event) {
    using kind = wire::token_event::kind;
    if (!requesting()) return;
    tally_.event_read(now, event);
    switch (event.what) {
        case kind::progress:
            return;
        case kind::token:
            return peek_due_ ? peek_read(now, event) : token_read(now, event);
        case kind::final:
            read_text(event);
            check_slot(event);
            end_request(now, false);
            return generation_ended(now, reason_of(event.stop));
        case kind::error:
            return;  // the shell tells it as request_failed()
    }
}

void reply_machine::token_read(time_point now, const wire::token_event& event) {
    if (phase_ == phase::first_token) enter(phase::streaming, now);
    last_token_ = now;
    if (!read_text(event)) return;
    switch (chunker_.current()) {
        case status::reading:
            return enter(phase::streaming, now);
        case status::ready:
            return chunk_read(now);
        case status::holding:
            if (phase_ != phase::holding) tally_.boundary_found(now);
            enter(phase::holding, now);
            if (rules_.peek_hold == duration{}) deadline_reached(now);
    }
}

/// Whether text became visible. Reasoning is kept for the next request only.
bool reply_machine::read_text(const wire::token_event& event) {
    const int kept_before = continuation_.kept_tokens();
    continuation_.append(event);
    const auto visible = reasoning_.feed(event.content, continuation_.kept_tokens() - kept_before);
    chunker_.feed(visible.text, visible.tokens);
    return !visible.text.empty();
}

/// Cuts, unless the end of the reply may come next: behind a sentence that surely ended, as the
/// next request would tell it only after the guard, and where the last text may be all that is left
/// before a stop word. The chunk is not held back for that.
void reply_machine::chunk_read(time_point now) {
    peeked_ = !chunker_.is_unpeeked();
    if (!peeked_ && rules_.peek_hold > duration{})
        return hand_over_early(now, now + rules_.peek_hold);
    const auto end_due = last_token_ + end_follows;
    if (rules_.has_stop_words && now < end_due) return hand_over_early(now, end_due);
    chunk_complete(now);
}

void reply_machine::hand_over_early(time_point now, time_point peek_due) {
    peek_due_ = peek_due;
    if (phase_ != phase::holding) tally_.boundary_found(now);
    offer_chunk(now);
}

// White space tells nothing, and may be all that a stop word leaves of its first token.
void reply_machine::peek_read(time_point now, const wire::token_event& event) {
    if (peeked_) return peek_ended(now, true);
    last_token_ = now;
    if (!read_text(event) || text::is_all_white_space(event.content)) return;
    if (!rules_.has_stop_words) return peek_ended(now);
    peeked_ = true;
    peek_due_ = now + end_follows;
}

/// The cut, while the chunk is spoken, or continued already.
void reply_machine::peek_ended(time_point now, bool ids_are_sure) {
    cut_request(now, ids_are_sure);
    if (phase_ == phase::holding) next_chunk(now);
}

void reply_machine::generation_ended(time_point now, finish_reason reason) {
    generated_ = reason;
    const auto withheld = reasoning_.finish();
    chunker_.feed(withheld.text, withheld.tokens);
    chunker_.finish();
    const bool chunk_is_out = std::exchange(peek_due_, {}) && phase_ != phase::holding;
    if (!chunk_is_out) return next_chunk(now);
    if (consumer_waits_ && last_chunk_spoken()) finish(now, reason);
}

// Partial events and old servers do not tell the slot: -1.
void reply_machine::check_slot(const wire::token_event& last) {
    if (last.id_slot >= 0 && last.id_slot != *slot_)
        actions_.push_back(action::tell_other_slot{*slot_, last.id_slot});
}

void reply_machine::end_request(time_point now, bool cut) {
    actions_.push_back(action::close_connection{});
    if (cut) tally_.cut(now);
    const bool unbegun = cut && phase_ == phase::first_token;
    actions_.push_back(
        action::release_slot{*slot_, cut && rules_.erase_after_cut,
                             unbegun ? slots::server_side::maybe_busy : slots::server_side::idle});
    slot_.reset();
}

/// The ids of the last text are sure if an event followed it.
void reply_machine::cut_request(time_point now, bool ids_are_sure) {
    end_request(now, true);
    request_gone(ids_are_sure);
}

/// The next request goes on behind what came.
void reply_machine::request_gone(bool ids_are_sure) {
    peek_due_.reset();
    if (!ids_are_sure) continuation_.cut();
    ask_for_ids();
}

void reply_machine::chunk_complete(time_point now) {
    cut_request(now);
    next_chunk(now);
}

// The ids that the next request needs are asked for while the chunk is spoken. A reply of one
// request never asks.
void reply_machine::ask_for_ids() {
    if (!std::exchange(prompt_ids_asked_, true)) {
        prompt_ids_pending_ = true;
        actions_.push_back(action::tokenize_prompt{});
    }
    if (auto texts = continuation_.lost_texts(); !texts.empty()) {
        recovery_pending_ = true;
        actions_.push_back(action::recover_tokens{std::move(texts)});
    }
}

void reply_machine::next_chunk(time_point now) {
    if (chunker_.current() != status::ready) {
        if (generated_) return finish(now, *generated_);
        return next_request(now);
    }
    offer_chunk(now);
}

void reply_machine::offer_chunk(time_point now) {
    enter(phase::ready, now);
    if (consumer_waits_) hand_over(now);
}

void reply_machine::next_request(time_point now) {
    if (rules_.max_tokens > 0 && continuation_.kept_tokens() >= rules_.max_tokens)
        return generation_ended(now, finish_reason::length);
    enter(phase::resolving, now);
    want_slot_when_resolved(now);
}

void reply_machine::want_slot_when_resolved(time_point now) {
    if (phase_ != phase::resolving || prompt_ids_pending_ || recovery_pending_) return;
    enter(phase::queued, now);
    tally_.slot_wanted(now);
    actions_.push_back(action::want_slot{});
}

void reply_machine::chunk_wanted(time_point now) {
    if (ended()) return;
    consumer_waits_ = true;
    if (phase_ == phase::ready)
        hand_over(now);
    else if (last_chunk_spoken())
        finish(now, *generated_);
}

void reply_machine::hand_over(time_point now) {
    auto piece = chunker_.take();
    // The end of generation tells that a chunk is the last one, also where a sentence ends it.
    if (generated_ && chunker_.current() != status::ready) piece.why = boundary::end;
    consumer_waits_ = false;
    spoken_ = chunk{.id = {id_, next_seq_++},
                    .text = std::move(piece.text),
                    .boundary = piece.why,
                    .tokens = piece.tokens};
    spoken_.speech = rules_.speech == speech_form::clean
                         ? text::worth_speaking(cleaner_.clean(spoken_.text))
                         : spoken_.text;
    tally_.handed_over(now, spoken_);
    result_.text += spoken_.text;
    enter(phase::speaking, now);
    actions_.push_back(action::hand_over{spoken_});
}

bool reply_machine::last_chunk_spoken() const noexcept {
    return phase_ == phase::speaking && generated_ && chunker_.current() != status::ready;
}

void reply_machine::continued(time_point now, chunk_id id) {
    if (phase_ != phase::speaking || id != spoken_.id) return;
    tally_.continued(now, spoken_);
    if (peek_due_) return enter(phase::holding, now);
    next_chunk(now);
}

void reply_machine::request_failed(time_point now, error_code ec, const diagnostics& diag) {
    if (!requesting()) return;
    end_request(now, false);
    // The chunk is out; what the next request says counts.
    if (peek_due_) {
        request_gone();
        return phase_ == phase::holding ? next_chunk(now) : void();
    }
    // An uncut reply would have ended here with the context used up.
    if (ec == errc::prompt_too_long && continuation_.kept_tokens() > 0)
        return generation_ended(now, finish_reason::length);
    finish(now, finish_reason::error, ec, diag);
}

void reply_machine::interrupted(time_point now) {
    if (ended()) return;
    if (phase_ == phase::idle) tally_.started(now);
    finish(now, finish_reason::interrupted);
}

void reply_machine::abandoned(time_point now, error_code ec, const diagnostics& diag) {
    if (ended()) return;
    if (phase_ == phase::idle) tally_.started(now);
    finish(now, finish_reason::error, ec, diag);
}

std::optional<time_point> reply_machine::deadline() const {
    switch (phase_) {
        case phase::resolving:
            return phase_since_ + longest_resolving;
        case phase::first_token:
            return phase_since_ + rules_.first_token_timeout;
        case phase::streaming:
            return last_token_ + rules_.between_tokens_timeout;
        case phase::holding:
            return peek_due_.value_or(phase_since_ + rules_.peek_hold);
        case phase::ready:
        case phase::speaking: {
            const auto due = phase_since_ + rules_.continue_timeout;
            return std::min(due, peek_due_.value_or(due));
        }
        case phase::idle:
        case phase::queued:
        case phase::ended:
            break;
    }
    return std::nullopt;
}

void reply_machine::deadline_reached(time_point now) {
    const auto due = deadline();
    if (!due || now < *due) return;
    switch (phase_) {
        case phase::first_token:
            return time_out(now, errc::first_token_timeout, rules_.first_token_timeout,
                            begun_ ? "no token"
                                   : "the server did not begin the request (it holds requests back "
                                     "while their slot is busy)");
        case phase::streaming:
            return time_out(now, errc::between_tokens_timeout, rules_.between_tokens_timeout,
                            "no further token");
        case phase::resolving:
            prompt_ids_pending_ = recovery_pending_ = false;
            return want_slot_when_resolved(now);
        case phase::holding:
            if (peek_due_) return peek_ended(now);
            chunker_.hold_expired();
            peeked_ = true;
            return rules_.has_stop_words && now < last_token_ + end_follows
                       ? hand_over_early(now, last_token_ + end_follows)
                       : chunk_complete(now);
        default:
            if (peek_due_ && now >= *peek_due_) return peek_ended(now);
            if (last_chunk_spoken()) return finish(now, *generated_);
            return time_out(now, errc::continue_timeout, rules_.continue_timeout,
                            phase_ == phase::ready ? "chunk not taken" : "no continue");
    }
}

void reply_machine::time_out(time_point now, errc code, duration limit, const char* what) {
    diagnostics diag;
    diag.client_message = fmt::format("{} within {} of {}; chunks handed over: {}", what,
                                      error_name(code), to_string(limit), next_seq_);
    finish(now, finish_reason::error, code, std::move(diag));
}

void reply_machine::finish(time_point now, finish_reason reason, error_code ec, diagnostics diag) {
    if (slot_) end_request(now, true);
    if (phase_ == phase::queued) actions_.push_back(action::forget_slot{});
    enter(phase::ended, now);
    result_.finish_reason = reason;
    result_.error = ec;
    result_.unspoken_text = chunker_.unread();
    result_.unspoken_text += reasoning_.finish().text;
    result_.diagnostics = std::move(diag);
    tally_.ended(now, result_, continuation_.prompt_tokens());
    actions_.push_back(action::finish{});
}

}  // namespace tandem::detail

#include "reply/machine/reply_machine.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

// The reply machine's clocks: what is waited for, how long, and what comes of it.
namespace tandem::detail {
namespace {

using phase = reply_phase;

// Ids are worth a short wait; without them the reply continues as text. After a failure they are
// worth a longer one: text that is divided into other tokens may continue in other words.
constexpr duration longest_resolving = std::chrono::milliseconds(500);
constexpr duration longest_proving = std::chrono::seconds(2);

}  // namespace

std::optional<time_point> reply_machine::deadline() const {
    const auto due = next_due();
    return due == never ? std::nullopt : std::optional(due);
}

time_point reply_machine::next_due() const {
    if (ended()) return never;
    return std::min(
        {generation_due(), chunk_due(), hold_due(), reply_due(), consumer_due(), warming_due()});
}

// Each of them leaves nothing that is due at the same time for the same reason, so this ends.
void reply_machine::deadline_reached(time_point now) {
    while (next_due() <= now) {
        if (reply_due() <= now)
            reply_overdue(now);
        else if (hold_due() <= now)
            hold_overdue(now);
        else if (patience_over() <= now)
            give_up(now);
        else if (generation_due() <= now)
            generation_overdue(now);
        else if (chunk_due() <= now)
            chunk_overdue(now);
        else if (consumer_due() <= now)
            consumer_overdue(now);
        else
            warming_.cut();
    }
}

// --- generation

time_point reply_machine::generation_due() const {
    return std::min(phase_due(), patience_over());
}

time_point reply_machine::reply_due() const {
    if (rules_.reply_timeout == duration{} || phase_ == phase::idle) return never;
    return started_ + rules_.reply_timeout;
}

void reply_machine::reply_overdue(time_point now) {
    // The last chunk needs no continue.
    if (outcome_ && delivery_.is_empty()) return finish(now, *std::exchange(outcome_, {}));
    finish(now, {finish_reason::error,
                 overtime(errc::reply_timeout, rules_.reply_timeout, "the reply did not end")});
}

time_point reply_machine::phase_due() const {
    switch (phase_) {
        case phase::seeking:
            return seeking_due();
        case phase::resolving:
            return phase_since_ + (ids_unproven_ ? longest_proving : longest_resolving);
        case phase::queued:
            return phase_since_ + rules_.queue_timeout;
        case phase::first_token:
            return phase_since_ + rules_.first_token_timeout;
        case phase::streaming:
            return last_token_ + rules_.between_tokens_timeout;
        case phase::holding:
            return phase_since_ + rules_.peek_hold;
        case phase::peeking:
            return peek_due_;
        case phase::idle:
        case phase::resting:
        case phase::generated:
        case phase::ended:
            break;
    }
    return never;
}

void reply_machine::generation_overdue(time_point now) {
    switch (phase_) {
        case phase::seeking:
            return seek(now);
        case phase::resolving:
            do_without_ids();
            return want_slot_when_resolved(now);
        case phase::queued:
            actions_.push_back(action::forget_slot{});
            return generation_failed(
                now, overtime(errc::queue_timeout, rules_.queue_timeout, "no slot"));
        case phase::first_token:
            return time_out(now, errc::first_token_timeout, rules_.first_token_timeout,
                            begun_ ? "no token"
                                   : "the server did not begin the request (it holds requests back "
                                     "while their slot is busy)");
        case phase::streaming:
            return time_out(now, errc::between_tokens_timeout, rules_.between_tokens_timeout,
                            "no further token");
        case phase::holding:
            chunker_.hold_expired();
            return chunk_read(now, true);
        default:
            return peek_ended(now, false);
    }
}

void reply_machine::time_out(time_point now, errc code, duration limit, const char* what) {
    failed_slot_ = slot_;
    actions_.push_back(action::tell_overtime{code});
    end_request(now, true);
    lost(now, overtime(code, limit, what));
}

failure reply_machine::overtime(errc code, duration limit, const char* what) const {
    return {code,
            {.client_message =
                 fmt::format("{} within {} of {}; chunks handed over: {}", what, error_name(code),
                             to_string(limit), delivery_.handed_over())}};
}

// --- the chunk that is read

/// While another chunk is spoken there is no hurry.
time_point reply_machine::chunk_due() const {
    const bool is_before_request =
        phase_ == phase::seeking || phase_ == phase::resolving || phase_ == phase::queued;
    const bool is_reading = phase_ == phase::streaming || phase_ == phase::holding ||
                            (going_on_.since() && is_before_request);
    if (rules_.chunk_deadline == duration{} || !is_reading || !chunk_since_ || is_unbreakable_ ||
        delivery_.lead() > 0)
        return never;
    // While the voice spoke nobody missed it.
    const bool was_carried = going_on_.since() && is_before_request;
    const auto since = was_carried ? std::max(*chunk_since_, listener_waits_since_) : *chunk_since_;
    return since + rules_.chunk_deadline;
}

void reply_machine::chunk_overdue(time_point now) {
    is_unbreakable_ = chunker_.break_off() != text::chunker::status::ready;
    if (is_unbreakable_) return;
    if (requesting()) return chunk_read(now, true);
    hand_over_before_request(now);
}

// --- the consumer

time_point reply_machine::consumer_due() const {
    const auto since = delivery_.waits_since();
    return since ? *since + rules_.continue_timeout : never;
}

void reply_machine::consumer_overdue(time_point now) {
    // The last chunk needs no continue.
    if (outcome_ && delivery_.is_empty()) return finish(now, *std::exchange(outcome_, {}));
    finish(now, {finish_reason::error,
                 overtime(errc::continue_timeout, rules_.continue_timeout,
                          delivery_.is_speaking() ? "no continue" : "chunk not taken")});
}

// --- prefilling

time_point reply_machine::warming_due() const {
    return warming_.deadline(rules_.first_token_timeout);
}

}  // namespace tandem::detail

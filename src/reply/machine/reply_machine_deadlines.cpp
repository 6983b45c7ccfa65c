#include "reply/machine/reply_machine.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

// The reply machine's timeouts: what it waits for, how long, and what follows.
namespace tandem::detail {
namespace {

using phase = reply_phase;

// A reply waits this long for token ids before it sends its prompt as text. It waits longer after a
// failure: as text, the prompt may be split into different tokens, and continue with different
// words.
constexpr duration max_resolving_time = std::chrono::milliseconds(500);
constexpr duration max_proving_time = std::chrono::seconds(2);

}  // namespace

std::optional<time_point> reply_machine::deadline() const {
    const auto due = next_deadline();
    return due == never ? std::nullopt : std::optional(due);
}

time_point reply_machine::next_deadline() const {
    if (ended()) return never;
    return std::min({generation_deadline(), reasoning_deadline(), chunk_break_time(),
                     peek_hold_deadline(), reply_deadline(), consumer_deadline(),
                     warming_deadline()});
}

// Each handler clears the cause of its deadline, so the loop terminates.
void reply_machine::on_deadline(time_point now) {
    while (next_deadline() <= now) {
        if (reply_deadline() <= now)
            handle_reply_timeout(now);
        else if (peek_hold_deadline() <= now)
            handle_peek_hold_expiry(now);
        else if (retry_give_up_time() <= now)
            give_up(now);
        else if (generation_deadline() <= now)
            handle_generation_timeout(now);
        else if (reasoning_deadline() <= now)
            end_reasoning(now, true);
        else if (chunk_break_time() <= now)
            handle_chunk_deadline(now);
        else if (consumer_deadline() <= now)
            handle_consumer_timeout(now);
        else
            warming_.cut();
    }
}

// --- generation

time_point reply_machine::generation_deadline() const {
    return std::min(phase_deadline(), retry_give_up_time());
}

time_point reply_machine::reply_deadline() const {
    if (rules_.reply_timeout == duration{} || phase_ == phase::idle) return never;
    return started_ + rules_.reply_timeout;
}

void reply_machine::handle_reply_timeout(time_point now) {
    // The last chunk needs no continue.
    if (outcome_ && delivery_.is_empty()) return finish(now, *std::exchange(outcome_, {}));
    finish(now,
           {finish_reason::error, make_timeout_failure(errc::reply_timeout, rules_.reply_timeout,
                                                       "the reply did not end")});
}

time_point reply_machine::phase_deadline() const {
    switch (phase_) {
        case phase::seeking:
            return server_search_deadline();
        case phase::resolving:
            return phase_since_ + (ids_.are_ids_doubtful() ? max_proving_time : max_resolving_time);
        case phase::queued:
            return phase_since_ + rules_.queue_timeout;
        case phase::first_token:
            return phase_since_ + rules_.first_token_timeout;
        case phase::streaming:
            return last_token_ + rules_.between_tokens_timeout;
        case phase::holding:
            return phase_since_ + rules_.peek_hold;
        case phase::peeking:
            return peek_.due;
        case phase::resting:
            return next_request_time();
        case phase::idle:
        case phase::generated:
        case phase::ended:
            break;
    }
    return never;
}

void reply_machine::handle_generation_timeout(time_point now) {
    switch (phase_) {
        case phase::seeking:
            return acquire_server(now);
        case phase::resolving:
            ids_.fall_back_to_text();
            return request_slot_when_resolved(now);
        case phase::queued:
            actions_.push_back(action::cancel_slot_request{});
            return fail_generation(
                now, make_timeout_failure(errc::queue_timeout, rules_.queue_timeout, "no slot"));
        case phase::first_token:
            return fail_with_timeout(now, errc::first_token_timeout, rules_.first_token_timeout,
                                     request_->has_started
                                         ? "no token"
                                         : "the server did not start the request (it holds "
                                           "requests while their slot is busy)");
        case phase::streaming:
            return fail_with_timeout(now, errc::between_tokens_timeout,
                                     rules_.between_tokens_timeout, "no further token");
        case phase::holding:
            chunker_.on_hold_expired();
            return on_chunk_read(now, true);
        case phase::resting:
            return next_request(now);
        default:
            return end_peek(now, false);
    }
}

void reply_machine::fail_with_timeout(time_point now, errc code, duration limit, const char* what) {
    failed_slot_ = running_slot();
    actions_.push_back(action::report_timeout{code});
    end_request(now, true);
    handle_server_failure(now, make_timeout_failure(code, limit, what));
}

failure reply_machine::make_timeout_failure(errc code, duration limit, const char* what) const {
    return {code,
            {.client_message =
                 fmt::format("{} within {} of {}; chunks handed over: {}", what, error_name(code),
                             to_string(limit), delivery_.count_handed_over())}};
}

// --- the open chunk

/// The deadline of the chunk being read; `never` while earlier chunks are held or being spoken.
time_point reply_machine::chunk_break_time() const {
    const bool is_before_request =
        phase_ == phase::seeking || phase_ == phase::resolving || phase_ == phase::queued;
    const bool is_reading = phase_ == phase::streaming || phase_ == phase::holding ||
                            (retry_.retrying_since() && is_before_request);
    if (rules_.chunk_deadline == duration{} || !is_reading || !open_chunk_.since ||
        open_chunk_.is_unbreakable || delivery_.count_unacknowledged() > 0)
        return never;
    // Does not count the time in which the voice was speaking.
    const bool was_carried = retry_.retrying_since() && is_before_request;
    const auto since =
        was_carried ? std::max(*open_chunk_.since, listener_waits_since_) : *open_chunk_.since;
    return since + rules_.chunk_deadline;
}

void reply_machine::handle_chunk_deadline(time_point now) {
    open_chunk_.is_unbreakable = chunker_.force_chunk_end() != text::chunker::status::ready;
    if (open_chunk_.is_unbreakable) return;
    if (has_running_request()) return on_chunk_read(now, true);
    hand_over_before_request(now);
}

// --- the consumer

time_point reply_machine::consumer_deadline() const {
    const auto since = delivery_.consumer_wait_since();
    return since ? *since + rules_.continue_timeout : never;
}

void reply_machine::handle_consumer_timeout(time_point now) {
    // The last chunk needs no continue.
    if (outcome_ && delivery_.is_empty()) return finish(now, *std::exchange(outcome_, {}));
    finish(now,
           {finish_reason::error,
            make_timeout_failure(errc::continue_timeout, rules_.continue_timeout,
                                 delivery_.is_speaking() ? "no continue" : "chunk not taken")});
}

// --- prefilling

time_point reply_machine::warming_deadline() const {
    return warming_.deadline(rules_.first_token_timeout);
}

}  // namespace tandem::detail

#include "server/retry_policy.hpp"
#include "simulation/simulated_reply.hpp"

#include <algorithm>

// The promises of a reply, checked by plain rules.
namespace tandem::test {

using namespace std::chrono_literals;

// --- failover

void simulated_reply::broke_off(const failure& why) {
    const bool has_read = machine_.transcript().kept_tokens() > 0;
    if (detail::classify_failure(why.ec, has_read) == detail::failure_kind::broken)
        world_.check(++broken_ <= plan_.rules.retry_policy.retries,
                     "no more requests break off in a row than may");
    if (lost_since_) return;
    lost_since_ = world_.now();
    patience_begins();
}

void simulated_reply::patience_begins() {
    world_.at(plan_.rules.retry_policy.resume_within + 1ms,
              [this, since = *lost_since_] { check_patience(since); });
}

/// A listener that waits in silence receives a chunk or the end in time, unless the simulated time
/// has leapt.
void simulated_reply::check_patience(time_point since) const {
    const bool is_waiting = lost_since_ == since && asked_ && !speaking_ && !ended();
    if (!is_waiting || machine_.phase() == detail::reply_phase::generated) return;
    const auto silent_since = std::max(since, waits_since_);
    world_.check(world_.leapt_since(since) ||
                     world_.now() - silent_since <= plan_.rules.retry_policy.resume_within,
                 "nobody waits in silence for longer than resume_within");
}

/// A reply is not given up before resume_within has passed, nor while the listener hears a chunk.
void simulated_reply::check_giving_up() const {
    const auto& words = machine_.result().diagnostics.client_message;
    if (words.find("resume_within") == std::string::npos) return;
    world_.note("a reply is given up");
    const auto silent_since = std::max(lost_since_.value_or(time_point::max()), waits_since_);
    world_.check(
        !speaking_ && silent_since + plan_.rules.retry_policy.resume_within <= world_.now(),
        "a reply is given up after resume_within of silence");
}

// --- the end

void simulated_reply::check_nothing_lost() const {
    // A resumed turn that was fully generated may have no transcript.
    if (machine_.text().empty()) return;
    const auto whole = spoken_ + machine_.result().unspoken_text;
    world_.check(whole == machine_.transcript().generated(),
                 "what was generated was handed over, or is told as unspoken, once");
}

/// Whether a fault or the rules of the reply may cause the error.
bool simulated_reply::is_explained(const error_code& ec) const {
    if (explained_.contains(ec.value())) return true;
    const auto& rules = plan_.rules;
    const bool leaps = world_.leaps();
    switch (static_cast<errc>(ec.value())) {
        case errc::first_token_timeout:
            return leaps || rules.first_token_timeout < 1s;
        case errc::between_tokens_timeout:
            return leaps || rules.between_tokens_timeout < 1s;
        case errc::queue_timeout:
            return leaps || rules.queue_timeout < 1h;
        case errc::continue_timeout:
            return leaps || habits_.asks_until || habits_.continues_until;
        case errc::reply_timeout:
            return rules.reply_timeout > 0s;
        default:
            return false;
    }
}

// A reply that ended without an error or interrupt equals the answer to one uncut request.
void simulated_reply::check_own_end() const {
    const auto reason = machine_.result().finish_reason;
    if (reason == finish_reason::error || reason == finish_reason::interrupted) return;
    const auto uncut =
        events_from(plan_.model, {}, plan_.rules.max_tokens > 0 ? plan_.rules.max_tokens : -1);
    std::string text;
    for (const auto& e : uncut) text += e.content;
    world_.check(spoken_ == text, "a whole reply has its whole text");
    // The tokens of a stop word that came with the last text count, and may reach max_tokens.
    if (plan_.rules.max_tokens > 0 && reason == finish_reason::length) return;
    const auto stop = uncut.empty() ? wire::stop_type::none : uncut.back().stop;
    world_.check((stop == wire::stop_type::word) == (reason == finish_reason::stop_word),
                 "a stop word is told");
    world_.check((stop == wire::stop_type::limit) == (reason == finish_reason::length),
                 "a limit is told");
}

void simulated_reply::check_end() const {
    auto& w = world_;
    w.check(ends_ == 1, "a reply ends exactly once");
    w.check(!live_.open && !live_.slot_held && !warm_.open && !warm_.slot_held,
            "no request is left");
    w.check(!machine_.deadline() && !machine_.is_waiting_for_slot() &&
                !machine_.is_waiting_for_warm_slot(),
            "no timer and no wish is left");
    const auto& r = machine_.result();
    w.check(r.text == handed_over_, "the result has the text that was handed over");
    check_own_end();
    w.check(habits_.interrupts || r.finish_reason != finish_reason::interrupted,
            "only an interrupt interrupts");
    w.check((r.finish_reason == finish_reason::error) == bool(r.error), "an error has its code");
    w.check(!r.error || is_explained(r.error), "only a fault is an error");
    const auto& u = r.usage;
    // The previous reply has already counted the resumed text as generated.
    w.check(u.heard <= u.handed_over && (is_resumed_ || u.handed_over <= u.generated),
            "generated >= handed over >= heard");
    w.check(u.wasted == std::max(0, u.generated - u.handed_over), "what is wasted is told");
}

}  // namespace tandem::test

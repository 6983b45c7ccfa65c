#include "reply/machine/reply_machine.hpp"
#include "text/characters/utf8.hpp"

#include <algorithm>

// The spoken form of chunks, the time that the voice needs for it, and the pacing that depends on
// that time.
namespace tandem::detail {
namespace {

using phase = reply_phase;

}  // namespace

std::optional<std::string> reply_machine::upcoming_speech() const {
    if (!delivery_.next_chunk()) return std::nullopt;
    auto c = *delivery_.next_chunk();
    auto voice = voice_;
    voice.fill_speech(c);
    return std::move(c.speech);
}

time_point reply_machine::speech_runs_out_at(time_point now) const {
    if (rules_.is_draft && !is_committed_) return started_ + draft_lifetime;
    if (delivery_.count_unacknowledged() == 0)
        return delivery_.count_handed_over() == 0 ? started_ : listener_waits_since_;
    auto end = delivery_.is_speaking() ? std::max(speech_ends_, now) : now;
    const auto& unspoken = delivery_.unspoken();
    for (std::size_t early = 1; early < unspoken.size(); ++early)
        end += pace_.estimate(unspoken[early].characters);
    for (const auto& c : delivery_.held()) end += pace_.estimate(text::count_characters(c.text));
    return end;
}

bool reply_machine::is_lead_full(time_point now) const {
    if (rules_.is_draft) return true;
    if (rules_.pacing.ahead_speech)
        return speech_runs_out_at(now) - now >= *rules_.pacing.ahead_speech;
    return delivery_.count_unacknowledged() >= rules_.pacing.high_watermark;
}

bool reply_machine::needs_next_request(time_point now) const {
    if (calls_.has_call()) return true;
    // A draft ends with its first chunk, so it does not have one yet.
    if (rules_.is_draft) return true;
    if (rules_.pacing.ahead_speech)
        return speech_runs_out_at(now) - now <= *rules_.pacing.ahead_speech / 2;
    return delivery_.count_unacknowledged() <= rules_.pacing.low_watermark;
}

/// When so little speech is left that the next request must be sent. `never` if that is after the
/// end of the chunk being spoken, because the consumer's continue changes the time anyway.
time_point reply_machine::next_request_time() const {
    if (!rules_.pacing.ahead_speech || !delivery_.is_speaking()) return never;
    const auto at = speech_runs_out_at(time_point::min()) - *rules_.pacing.ahead_speech / 2;
    return at <= speech_ends_ ? at : never;
}

void reply_machine::on_speech_started(time_point now) {
    const auto characters = delivery_.unspoken().front().characters;
    speech_began_ = now;
    speech_ends_ = now + (characters > 0 ? pace_.estimate(characters) : duration{});
}

/// All chunks up to `last` were spoken.
void reply_machine::on_speech_ended(time_point now, chunk_id last) {
    std::size_t characters = 0;
    while (delivery_.is_unspoken(last)) {
        const auto c = delivery_.continue_spoken_chunk(now);
        characters += c.characters;
        if (c.has_text) metrics_recorder_.on_continued(now);
    }
    pace_.learn(characters, now - speech_began_);
    if (delivery_.is_speaking()) on_speech_started(now);
}

// `rest` is bounded, because a report such as duration::max() would overflow.
void reply_machine::speaks_until(time_point now, chunk_id id, duration rest) {
    if (ended() || !delivery_.is_spoken_now(id)) return;
    speech_ends_ = now + std::clamp(rest, duration{}, rules_.continue_timeout);
    if (phase_ == phase::queued) actions_.push_back(action::update_slot_request{});
    pause_or_request_next(now);
}

}  // namespace tandem::detail

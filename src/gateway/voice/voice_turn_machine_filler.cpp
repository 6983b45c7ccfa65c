// Words before the first chunk of a reply.
#include "gateway/voice/voice_turn_machine.hpp"

#include <optional>
#include <utility>

namespace tandem::gateway {

/// A turn has at most one filler, even if it has several replies.
void voice_turn_machine::arm_filler(time_point silent_since) {
    if (!is_running() || is_filler_used_ || !reply_->turn->filler) return;
    reply_->filler.due = silent_since + reply_->turn->filler->after;
}

std::optional<time_point> voice_turn_machine::filler_due() const {
    if (!is_running() || reply_->interrupted || reply_->chunks > 0) return std::nullopt;
    return reply_->filler.due;
}

void voice_turn_machine::speak_filler(time_point now) {
    const auto& texts = reply_->turn->filler->texts;
    is_filler_used_ = true;
    speak_as_filler(now, texts[fillers_++ % texts.size()]);
}

void voice_turn_machine::speak_as_filler(time_point now, std::string text) {
    const auto& turn = *reply_->turn;
    reply_->filler.text = text;
    reply_->filler.is_speaking = true;
    reply_->chunks = 1;
    reply_->is_speaking = true;
    reply_->spoken_since = now;
    send(encode_chunk(turn.number, turn.id,
                      {.text = text,
                       .speech = text,
                       .boundary = boundary::sentence,
                       .early = last_words_.has_value()},
                      true));
}

void voice_turn_machine::on_filler_spoken(time_point now) {
    if (!reply_->filler.is_speaking) return;
    keep_filler();
    end_filler(now);
}

void voice_turn_machine::keep_filler() {
    const auto& turn = *reply_->turn;
    if (!reply_->filler.is_repeated && turn.filler && turn.filler->history &&
        !turn.is_outside_history())
        actions_.push_back(voice_action::add_filler{reply_->filler.text});
}

// The answer may have arrived in the meantime.
void voice_turn_machine::end_filler(time_point now) {
    reply_->filler.is_speaking = false;
    reply_->is_speaking = false;
    earlier_words_.clear();
    if (const auto answer = std::exchange(reply_->filler.answer, std::nullopt))
        on_chunk(now, reply_->turn->number, *answer);
}

}  // namespace tandem::gateway

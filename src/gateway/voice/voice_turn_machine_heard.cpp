#include "gateway/voice/voice_turn_machine.hpp"

#include <algorithm>

// Messages about how far the voice and the listener are in a chunk.
namespace tandem::gateway {

bool voice_turn_machine::is_chunk_of_reply(const client_chunk_id& id) const {
    return reply_ && id.reply == reply_->turn->number && id.seq < reply_->chunks;
}

void voice_turn_machine::handle(time_point, const voice::speaking& m) {
    if (!is_chunk_of_reply(m.chunk)) return;
    actions_.push_back(voice_action::speaks_until{{reply_->id, m.chunk.seq}, m.ends_in});
}

void voice_turn_machine::handle(time_point, const voice::heard& m) {
    if (!is_chunk_of_reply(m.chunk) || reply_->turn->what == voice_turn::kind::prompt) return;
    record_heard(m);
    actions_.push_back(
        voice_action::heard{{reply_->id, m.chunk.seq}, m.chars.value_or(0), m.share});
}

// Concerns the last chunk only: all earlier ones were continued.
void voice_turn_machine::record_heard(const voice::heard& m) {
    if (m.chunk.seq + 1 != reply_->chunks || reply_->characters == 0) return;
    const auto share = m.share.value_or(static_cast<double>(m.chars.value_or(0)) /
                                        static_cast<double>(reply_->characters));
    reply_->heard_share = std::max(reply_->heard_share, std::min(share, 1.0));
}

}  // namespace tandem::gateway

#include "gateway/voice/voice_turns.hpp"

#include <algorithm>

// What the client says of how far the listener got.
namespace tandem::gateway {

void voice_turns::said(time_point, const voice::heard& m) {
    const bool is_known = reply_ && reply_->turn->what != voice_turn::kind::prompt &&
                          m.chunk.reply == reply_->turn->number && m.chunk.seq < reply_->chunks;
    if (!is_known) return;
    note_heard(m);
    actions_.push_back(
        voice_action::heard{{reply_->id, m.chunk.seq}, m.chars.value_or(0), m.share});
}

// All chunks before the last one were continued.
void voice_turns::note_heard(const voice::heard& m) {
    if (m.chunk.seq + 1 != reply_->chunks || reply_->characters == 0) return;
    const auto share = m.share.value_or(static_cast<double>(m.chars.value_or(0)) /
                                        static_cast<double>(reply_->characters));
    reply_->heard_share = std::max(reply_->heard_share, std::min(share, 1.0));
}

}  // namespace tandem::gateway

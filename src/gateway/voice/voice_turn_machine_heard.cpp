#include "gateway/voice/voice_turn_machine.hpp"

#include <algorithm>

// Messages about how far the listener heard a chunk.
namespace tandem::gateway {

void voice_turn_machine::handle(time_point, const voice::heard& m) {
    const bool is_known = reply_ && reply_->turn->what != voice_turn::kind::prompt &&
                          m.chunk.reply == reply_->turn->number && m.chunk.seq < reply_->chunks;
    if (!is_known) return;
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

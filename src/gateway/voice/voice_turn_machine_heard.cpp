#include "gateway/voice/voice_turn_machine.hpp"

#include <algorithm>
#include <iterator>

// Messages about how far the voice and the listener are in a chunk.
namespace tandem::gateway {

bool voice_turn_machine::is_chunk_of_reply(const client_chunk_id& id) const {
    return reply_ && id.reply == reply_->turn->number && id.seq < reply_->chunks;
}

// A filler is unknown to the library.
chunk_id voice_turn_machine::to_library_id(const client_chunk_id& id) const {
    return {reply_->id, id.seq - reply_->count_fillers()};
}

void voice_turn_machine::handle(time_point, const voice::speaking& m) {
    if (!is_chunk_of_reply(m.chunk) || is_filler(m.chunk)) return;
    actions_.push_back(voice_action::speaks_until{to_library_id(m.chunk), m.ends_in});
}

void voice_turn_machine::handle(time_point, const voice::heard& m) {
    if (!is_chunk_of_reply(m.chunk) || is_filler(m.chunk)) return;
    if (reply_->turn->is_outside_history()) return;
    record_heard(m);
    actions_.push_back(voice_action::heard{to_library_id(m.chunk), m.chars.value_or(0), m.share});
}

// A listener who hears a chunk has heard all earlier ones.
void voice_turn_machine::record_heard(const voice::heard& m) {
    const auto& unspoken = reply_->unspoken;
    const auto before = reply_->chunks - m.chunk.seq;  // at least 1
    if (before > unspoken.size()) return;
    const auto heard = std::prev(unspoken.end(), before);
    if (heard->characters == 0) return;
    const auto share = m.share.value_or(static_cast<double>(m.chars.value_or(0)) /
                                        static_cast<double>(heard->characters));
    double tokens = heard->tokens * std::min(share, 1.0);
    for (auto c = unspoken.begin(); c != heard; ++c) tokens += c->tokens;
    reply_->heard_tokens = std::max(reply_->heard_tokens, tokens);
}

}  // namespace tandem::gateway

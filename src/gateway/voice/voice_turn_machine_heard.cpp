#include "conversation/history/heard_position.hpp"
#include "gateway/voice/voice_turn_machine.hpp"
#include "text/characters/utf8.hpp"

#include <algorithm>

// Messages about how far the voice and the listener are in a chunk.
namespace tandem::gateway {
namespace {

std::size_t count_heard(std::string_view speech, const voice::heard& m) {
    if (m.share) return conversations::count_heard_characters(speech, *m.share);
    if (m.words) return conversations::count_characters_of_words(speech, *m.words);
    if (m.said) return conversations::count_characters_said(speech, *m.said);
    return m.chars.value_or(0);
}

}  // namespace

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
    voice_action::heard told{to_library_id(m.chunk), m.chars.value_or(0), m.share};
    if (const auto* const chunk = find_unspoken(m.chunk)) {
        told.chars = count_heard(chunk->speech, m);
        record_heard(*chunk, told.chars);
    } else if (!m.chars && !m.share) {
        return;  // a continued chunk was heard whole
    }
    actions_.push_back(told);
}

const voice_turn_machine::unspoken_chunk* voice_turn_machine::find_unspoken(
    const client_chunk_id& id) const {
    const auto& unspoken = reply_->unspoken;
    const auto before = reply_->chunks - id.seq;  // at least 1
    return before > unspoken.size() ? nullptr : &unspoken[unspoken.size() - before];
}

// A listener who hears a chunk has heard all earlier ones.
void voice_turn_machine::record_heard(const unspoken_chunk& chunk, std::size_t characters) {
    const auto all = text::count_characters(chunk.speech);
    if (all == 0) return;
    const auto share = static_cast<double>(characters) / static_cast<double>(all);
    double tokens = chunk.tokens * std::min(share, 1.0);
    for (const auto& c : reply_->unspoken) {
        if (&c == &chunk) break;
        tokens += c.tokens;
    }
    reply_->heard_tokens = std::max(reply_->heard_tokens, tokens);
}

}  // namespace tandem::gateway

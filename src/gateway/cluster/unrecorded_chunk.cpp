#include "gateway/cluster/unrecorded_chunk.hpp"

#include "text/characters/white_space.hpp"
#include "text/speech/speech_map.hpp"

#include "tandem/saved_conversation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::gateway {
namespace {

// The speech of the chunk is the words without the white space around them.
saved_chunk make_chunk(std::string_view words) {
    const auto speech = text::trim_white_space(words);
    const auto begin = static_cast<std::size_t>(speech.data() - words.data());
    text::speech_run_builder builder;
    builder.omit(begin);
    builder.copy(speech.size());
    builder.omit(words.size() - begin - speech.size());
    return {.speech = std::string(speech), .speech_runs = builder.take()};
}

// Adds the reply's last chunk, which has these words, unless the open turn already has that chunk.
void add_chunk(saved_open_turn& turn, const recorded_reply& reply, std::string_view words) {
    const auto seq = reply.chunks - 1 - (reply.filler.empty() ? 0 : 1);
    const auto is_there = [&](const saved_chunk& c) { return c.reply == reply.id && c.seq >= seq; };
    if (std::ranges::any_of(turn.chunks, is_there)) return;
    const auto begin = turn.handed_over;
    if (!std::string_view(turn.text).substr(begin).starts_with(words)) {
        turn.text.resize(begin);
        turn.text += words;
    }
    turn.handed_over = begin + words.size();
    auto& added = turn.chunks.emplace_back(make_chunk(words));
    added.reply = reply.id;
    added.seq = seq;
    added.begin = begin;
    added.end = turn.handed_over;
}

// The library's number of a reply whose record lacks it: the number in the turn's newest chunks, or
// the next number if those chunks belong to the previous reply.
std::uint64_t find_reply_id(const session_record& r, const saved_open_turn& turn) {
    const auto newest = turn.chunks.empty() ? 0 : turn.chunks.back().reply;
    return r.reply_before && r.reply_before->id == newest ? newest + 1 : newest;
}

}  // namespace

void add_unrecorded_chunk(session_record& r, const voice::last_heard& last,
                          const prompt_filter& filter) {
    const auto& known = r.reply;
    saved_conversation talk;
    if (!known || known->is_ended || known->number != last.chunk.reply ||
        known->chunks > last.chunk.seq || !last.text.starts_with(known->text) ||
        filter.find_violation(std::vector<std::string_view>{last.text}) ||
        read_saved(r.conversation, talk) || !talk.open_turn)
        return;
    auto& reply = *r.reply;
    const auto words = last.text.substr(reply.text.size());
    reply.chunks = last.chunk.seq + 1;
    reply.text = last.text;
    reply.unspoken = {{.speech = std::string(text::trim_white_space(words))}};
    if (reply.id == 0) reply.id = find_reply_id(r, *talk.open_turn);
    add_chunk(*talk.open_turn, reply, words);
    r.conversation = saved_text(talk);
}

}  // namespace tandem::gateway

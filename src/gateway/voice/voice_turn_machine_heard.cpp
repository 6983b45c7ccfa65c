#include "conversation/history/heard_position.hpp"
#include "gateway/voice/voice_turn_machine.hpp"
#include "text/characters/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

auto voice_turn_machine::last_reply::find_unspoken(const client_chunk_id& name) const
    -> const unspoken_chunk* {
    const auto before = chunks - name.seq;  // at least 1
    return before > unspoken.size() ? nullptr : &unspoken[unspoken.size() - before];
}

// A listener who hears a chunk has heard all earlier ones.
void voice_turn_machine::last_reply::record_heard(const unspoken_chunk& chunk,
                                                  std::size_t characters) {
    const auto all = text::count_characters(chunk.speech);
    if (all == 0) return;
    const auto share = static_cast<double>(characters) / static_cast<double>(all);
    double tokens = chunk.tokens * std::min(share, 1.0);
    for (const auto& c : unspoken) {
        if (&c == &chunk) break;
        tokens += c.tokens;
    }
    heard_tokens = std::max(heard_tokens, tokens);
}

auto voice_turn_machine::find_reply(const client_chunk_id& id) -> last_reply* {
    if (is_chunk_of_reply(id)) return &*reply_;
    return reply_before_ && reply_before_->has(id) ? &*reply_before_ : nullptr;
}

// nullopt if history does not have the chunk.
std::optional<chunk_id> voice_turn_machine::find_in_history(const client_chunk_id& id) {
    const auto* const of = find_reply(id);
    if (!of || of->is_filler(id) || of->turn->is_outside_history()) return std::nullopt;
    return of->to_library_id(id);
}

void voice_turn_machine::handle(time_point, const voice::speaking& m) {
    if (!is_chunk_of_reply(m.chunk) || reply_->is_filler(m.chunk)) return;
    actions_.push_back(voice_action::speaks_until{reply_->to_library_id(m.chunk), m.ends_in});
}

void voice_turn_machine::handle(time_point, const voice::heard& m) {
    const auto id = find_in_history(m.chunk);
    if (!id) return;
    auto& of = *find_reply(m.chunk);
    voice_action::heard told{*id, m.chars.value_or(0), m.share};
    if (const auto* const chunk = of.find_unspoken(m.chunk)) {
        told.chars = count_heard(chunk->speech, m);
        of.record_heard(*chunk, told.chars);
    } else if (!m.chars && !m.share) {
        return;  // a continued chunk was heard whole
    }
    actions_.push_back(told);
}

// --- after a socket was lost

std::optional<api_error> voice_turn_machine::find_fault(const voice::start& first) const {
    if (!first.last) return std::nullopt;
    const auto& id = first.last->chunk;
    const auto newest = reply_ ? reply_->turn->number : 0;
    if (id.reply > 0 && (id.reply < newest || is_chunk_of_reply(id))) return std::nullopt;
    return api_error{
        .status = 400,
        .type = "invalid_request_error",
        .code = "unknown_chunk",
        .message = fmt::format("last.chunk is \"{}\", which this session has not sent; "
                               "start without last",
                               to_string(id)),
        .param = "last.chunk"};
}

// A report that was lost with the socket, or that was made without one.
void voice_turn_machine::take_last(const voice::last_heard& last) {
    const bool has_place = last.chars || last.share || last.words || last.said;
    if (has_place) handle({}, last);
    if (last.speaking) spoken_on_ = last.chunk;
    if (!is_chunk_of_reply(last.chunk) || last.chunk.seq + 1 < reply_->chunks) return;
    if (reply_->is_filler(last.chunk)) return;
    const auto* const chunk = reply_->find_unspoken(last.chunk);
    const bool is_whole = !chunk || last.speaking ||
                          count_heard(chunk->speech, last) >= text::count_characters(chunk->speech);
    if (!is_whole) return;
    reply_->is_unheard = false;
    drop_resume_if_heard();
}

// In the order of their ends.
std::vector<std::string> voice_turn_machine::list_open_turns(const voice::start& first) const {
    std::vector<std::string> turns;
    turns.reserve(held_texts_.size() + waiting_.size() + 2);
    for (const auto& held : held_texts_) turns.push_back(held.ended);
    if (is_running()) turns.push_back(reply_->turn->id);
    const bool is_replaced = first.text || first.prompt;
    if (is_resume_due_ && !is_replaced && !is_closing())
        turns.push_back(first.turn.empty() ? last_turn_->id : first.turn);
    for (const auto& w : waiting_)
        if (w.turn->what != voice_turn::kind::messages) turns.push_back(w.turn->id);
    std::erase(turns, "");
    return turns;
}

void voice_turn_machine::report_whole(const client_chunk_id& id) {
    if (const auto known = find_in_history(id))
        actions_.push_back(voice_action::heard{.id = *known, .share = 1.0});
}

// The chunk that is spoken on precedes the reply that begins.
void voice_turn_machine::speak_on() {
    const auto spoken = std::exchange(spoken_on_, std::nullopt);
    if (spoken && is_chunk_of_reply(*spoken))
        reply_before_ = std::move(reply_);
    else if (!spoken || !find_reply(*spoken))
        reply_before_.reset();
    if (spoken) last_words_ = spoken;
}

void voice_turn_machine::drop_resume() {
    is_resume_due_ = false;
    spoken_on_.reset();
}

void voice_turn_machine::drop_resume_if_heard() {
    if (reply_->is_complete && !reply_->is_unheard && !reply_->has_unsent) is_resume_due_ = false;
}

}  // namespace tandem::gateway

#include "conversation/history/heard_position.hpp"
#include "gateway/voice/voice_turn_machine.hpp"
#include "text/characters/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

// Messages about how far the voice has spoken, and the listener has heard, a chunk.
namespace tandem::gateway {
namespace {

using kind = voice_turn::kind;

// A move takes a few hundred ms.
constexpr duration chunk_has_just_begun = std::chrono::milliseconds(250);
constexpr duration max_wait_for_chunk = std::chrono::seconds(5);

std::size_t count_heard(std::string_view speech, const voice::heard& m) {
    if (m.share) return conversations::count_heard_characters(speech, *m.share);
    if (m.words) return conversations::count_characters_of_words(speech, *m.words);
    if (m.said) return conversations::count_characters_said(speech, *m.said);
    return m.chars.value_or(0);
}

/// Whether the last turn had a raw prompt. The reply to one is outside of the history. So is an
/// aside, which is not a turn.
bool has_raw_prompt(const session_record& r) {
    const auto is_of_turn = [&](const auto& reply) {
        return reply && reply->number == r.turn->number && reply->is_outside_history;
    };
    return is_of_turn(r.reply) || is_of_turn(r.reply_before);
}

}  // namespace

auto voice_turn_machine::last_reply::find_unspoken(const client_chunk_id& name) const
    -> const recorded_chunk* {
    const auto before = chunks - name.seq;  // at least 1
    return before > unspoken.size() ? nullptr : &unspoken[unspoken.size() - before];
}

// A listener who hears a chunk has heard all earlier ones.
void voice_turn_machine::last_reply::record_heard(const recorded_chunk& chunk,
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

// Returns nullopt if history does not have the chunk.
std::optional<chunk_id> voice_turn_machine::find_in_history(const client_chunk_id& id) {
    const auto* const of = find_reply(id);
    if (!of || of->is_filler(id) || of->turn->is_outside_history()) return std::nullopt;
    return of->to_library_id(id);
}

void voice_turn_machine::handle(time_point, const voice::speaking& m) {
    // After a move, the reply that has ended may be another gateway's.
    if (!is_running() || !reply_->has(m.chunk) || reply_->is_filler(m.chunk)) return;
    actions_.push_back(voice_action::speaks_until{reply_->to_library_id(m.chunk), m.ends_in});
}

void voice_turn_machine::handle(time_point, const voice::heard& m) {
    hear_earlier_words(m);
    const auto id = find_in_history(m.chunk);
    if (!id) return;
    auto& of = *find_reply(m.chunk);
    voice_action::heard action{*id, m.chars.value_or(0), m.share};
    if (const auto* const chunk = of.find_unspoken(m.chunk)) {
        action.chars = count_heard(chunk->speech, m);
        of.record_heard(*chunk, action.chars);
    } else if (!m.chars && !m.share) {
        return;  // a continued chunk was heard whole
    }
    actions_.push_back(action);
}

// --- words before calls

// A reply after calls, or an aside before it, may begin while the words before the calls are
// spoken.
void voice_turn_machine::keep_last_words(const voice_turn& next) {
    const auto before = std::exchange(last_words_, std::nullopt);
    if (!reply_) return;
    const bool follows_aside = is_aside() && next.results.empty();
    if (next.follows_calls() && reply_->is_speaking && !follows_aside) {
        last_words_ = client_chunk_id{reply_->turn->number, reply_->chunks - 1};
        keep_earlier_words();
        // The listener hears a filler before calls to its end.
        if (reply_->filler.is_speaking) keep_filler();
    } else if ((next.follows_calls() || next.what == kind::aside) &&
               (reply_->chunks == 0 || is_aside())) {
        last_words_ = before;
    }
}

// The reply speaks these words, and the next one begins.
void voice_turn_machine::keep_earlier_words() {
    if (is_aside()) return;
    const auto& unspoken = reply_->unspoken;
    auto seq = reply_->chunks - static_cast<std::uint32_t>(unspoken.size());
    for (const auto& c : unspoken)
        earlier_words_.add({reply_->turn->number, seq++}, c.speech, c.is_spaced);
}

// History has these words already, so the filler must not add them.
void voice_turn_machine::speak_earlier_words(time_point now) {
    auto words = earlier_words_.text();
    earlier_words_.clear();
    if (words.empty()) return;
    earlier_words_.add({reply_->turn->number, 0}, words);
    speak_as_filler(now, std::move(words));
    reply_->filler.is_repeated = true;
}

void voice_turn_machine::hear_earlier_words(const voice::heard& m) {
    if (const auto* const speech = earlier_words_.find(m.chunk))
        earlier_words_.on_heard(m.chunk, count_heard(*speech, m));
    else if (find_reply(m.chunk))
        hear_earlier_words_before(m.chunk);
}

// A listener who hears a later chunk has heard them, unless the chunk is an aside that followed an
// interruption.
void voice_turn_machine::hear_earlier_words_before(const client_chunk_id& id) {
    const auto* const of = find_reply(id);
    const bool is_after_cut =
        of && of->turn->is_outside_history() && !last_words_ && !of->has_cut_last_words();
    if (!is_after_cut) earlier_words_.on_heard_whole(id);
}

// --- after a socket was lost

std::optional<api_error> voice_turn_machine::find_fault(const voice::start& first) const {
    if (!first.last) return std::nullopt;
    const auto& id = first.last->chunk;
    const auto newest = reply_ ? reply_->turn->number : 0;
    if (id.reply > 0 && (id.reply < newest || is_chunk_of_reply(id))) return std::nullopt;
    return make_error(400, "unknown_chunk",
                      fmt::format("last.chunk is \"{}\", which this session has not sent; start "
                                  "without last",
                                  to_string(id)),
                      "last.chunk");
}

// Applies a report that was lost with the socket, or that the client made while it had none.
void voice_turn_machine::apply_last_heard(const voice::last_heard& last) {
    const bool has_place = last.chars || last.share || last.words || last.said;
    if (has_place) handle({}, last);
    if (last.speaking) {
        spoken_on_ = last.chunk;
        hear_earlier_words_before(last.chunk);
    }
    if (!is_chunk_of_reply(last.chunk) || last.chunk.seq + 1 < reply_->chunks) return;
    if (reply_->is_filler(last.chunk)) return;
    const auto* const chunk = reply_->find_unspoken(last.chunk);
    const bool is_whole = !chunk || last.speaking ||
                          count_heard(chunk->speech, last) >= text::count_characters(chunk->speech);
    if (!is_whole) return;
    reply_->is_unheard = false;
    drop_resume_if_heard();
    if (!has_turn_called() || is_aside() || is_running() || reply_->interrupted) return;
    // The words before the calls need not be resumed.
    has_cut_words_ = false;
    if (is_reply_to_calls_waiting()) resume_.is_due = false;
    if (last.speaking) report_heard_whole(last.chunk);
}

// In the order in which the turns end.
std::vector<std::string> voice_turn_machine::list_open_turns(const voice::start& first) const {
    std::vector<std::string> turns;
    turns.reserve(held_texts_.size() + waiting_.size() + 2);
    for (const auto& held : held_texts_) turns.push_back(held.turn);
    if (is_running()) turns.push_back(reply_->turn->id);
    if (resume_.is_due && !is_closing())
        turns.push_back(first.turn.empty() ? last_turn_->id : first.turn);
    for (const auto& w : waiting_)
        if (w.turn->what != kind::messages) turns.push_back(w.turn->id);
    std::erase(turns, "");
    return turns;
}

// --- records

voice_turn_machine::voice_turn_machine(voice_setup setup, session_record record,
                                       const generation_changes& first,
                                       const generation_changes& last)
    : setup_(std::move(setup)),
      was_attached_(true),
      interrupted_mark_(std::move(record.interrupted_mark)),
      last_number_(record.last_number) {
    set_session_options(first);
    restore(std::move(record), last);
}

void voice_turn_machine::restore(session_record record, const generation_changes& last) {
    auto options = apply_changes(setup_.generation, last);
    resolve_adapters(last, options);
    restore_turn(record, options);
    has_conversation_ = !record.conversation.empty();
    if (has_conversation_)
        actions_.push_back(
            voice_action::load_conversation{std::move(record.conversation), std::move(options)});
    resume_.is_due = record.resumes && last_turn_;
    unanswered_ = std::move(record.unanswered);
    held_texts_ = std::move(record.ends);
    for (auto& c : record.late_calls) calls_.expect_late_result(std::move(c));
    if (record.reply_before) reply_before_ = restore_reply(*std::move(record.reply_before));
    if (record.reply) reply_ = restore_reply(*std::move(record.reply));
    if (reply_ && reply_->interrupted) end_cut_reply();
}

void voice_turn_machine::restore_turn(const session_record& record,
                                      const generation_options& options) {
    if (!record.turn) return;
    const auto& turn = *record.turn;
    last_turn_ = std::make_shared<const voice_turn>(
        voice_turn{.number = turn.number,
                   .id = turn.id,
                   .what = has_raw_prompt(record) ? kind::prompt : kind::reply,
                   .options = options,
                   .asked_options = turn.options,
                   .timeline = turn.timeline});
    if (turn.has_called) calls_.add_sent_calls({}, {});
}

void voice_turn_machine::end_cut_reply() {
    const auto& turn = *reply_->turn;
    reply_result cut;
    cut.finish_reason = finish_reason::interrupted;
    cut.text = reply_->text;
    deliver_end(turn, encode_end({.reply = turn.number,
                                  .turn = turn.id,
                                  .result = cut,
                                  .sent_bytes = cut.text.size(),
                                  .timeline = turn.timeline}));
}

auto voice_turn_machine::restore_reply(recorded_reply record) const -> last_reply {
    const bool is_of_turn = last_turn_ && last_turn_->number == record.number;
    last_reply r{.turn = last_turn_,
                 .progress = last_reply::state::incomplete,
                 .interrupted = record.is_ended ? std::nullopt : std::optional(interruption{}),
                 .is_asked = false,
                 .id = record.id,
                 .chunks = record.chunks,
                 .text = std::move(record.text),
                 .unspoken = std::move(record.unspoken)};
    if (!is_of_turn)
        r.turn = std::make_shared<const voice_turn>(
            voice_turn{.number = record.number,
                       .id = std::move(record.turn),
                       .what = record.is_outside_history ? kind::aside : kind::reply});
    r.filler.text = std::move(record.filler);
    return r;
}

recorded_reply voice_turn_machine::make_record(const last_reply& r) {
    return {.number = r.turn->number,
            .turn = r.turn->id,
            .id = r.id,
            .chunks = r.chunks,
            .filler = r.filler.text,
            .text = r.text,
            .unspoken = r.unspoken,
            .is_outside_history = r.turn->is_outside_history(),
            .is_ended = r.is_ended()};
}

/// Whether the last turn has more words to speak.
bool voice_turn_machine::has_words_to_come() const {
    const bool is_replying =
        is_running() && !reply_->interrupted && !reply_->turn->is_outside_history();
    const bool is_waiting = std::ranges::any_of(waiting_, [](const waiting_turn& w) {
        return !w.is_cancelled && (!w.turn->results.empty() || w.turn->is_continuation());
    });
    return is_replying || is_waiting || resume_.is_due || is_spoken_to_end() || calls_.is_pending();
}

session_record voice_turn_machine::record() const {
    session_record r{.model = setup_.model,
                     .asked_model = setup_.asked_model,
                     .options = first_options_,
                     .interrupted_mark = interrupted_mark_,
                     .last_number = last_number_,
                     .resumes = has_words_to_come(),
                     .ends = held_texts_};
    if (last_turn_)
        r.turn = recorded_turn{.number = last_turn_->number,
                               .id = last_turn_->id,
                               .options = last_turn_->asked_options,
                               .timeline = last_turn_->timeline,
                               .has_called = has_turn_called()};
    r.unanswered = unanswered_;
    if (reply_) r.reply = make_record(*reply_);
    if (reply_before_) r.reply_before = make_record(*reply_before_);
    record_calls(r);
    return r;
}

// Results that history does not have yet are lost with this gateway. The client may repeat
// them.
void voice_turn_machine::record_calls(session_record& r) const {
    for (const auto& id : calls_.list_open())
        r.ends.push_back({encode_drop(id, call_drop_reason::interrupted)});
    r.late_calls = calls_.list_late_calls();
    for (const auto& w : waiting_)
        for (const auto& result : w.turn->results)
            if (result.is_final) r.late_calls.push_back({.id = result.id});
}

void voice_turn_machine::begin_move(time_point now) {
    is_moving_ = true;
    move_due_ = now + max_wait_for_chunk;
}

bool voice_turn_machine::can_move(time_point now) const noexcept {
    const bool has_next = socket_ && !waiting_.empty();
    if (is_over() || has_next || calls_.is_pending()) return false;
    if (!is_running()) return true;
    if (!reply_->is_speaking || reply_->interrupted) return false;
    return now < reply_->spoken_since + chunk_has_just_begun || !move_due_;
}

void voice_turn_machine::move(time_point now) {
    stage_ = stage::leaving;
    is_moving_ = false;
    move_due_.reset();
    if (socket_) actions_.push_back(voice_action::close{*socket_, voice_close::moved});
    detach_socket(now);
    advance(now);
}

void voice_turn_machine::release_to_gateway(time_point now, voice_close why) {
    is_released_ = true;
    if (!socket_) return;
    actions_.push_back(voice_action::close{*socket_, why});
    on_socket_lost(now, *socket_);
}

void voice_turn_machine::report_heard_whole(const client_chunk_id& id) {
    if (const auto known = find_in_history(id))
        actions_.push_back(voice_action::heard{.id = *known, .share = 1.0});
}

// The new reply follows the chunk that the voice still speaks.
void voice_turn_machine::carry_over_spoken_chunk() {
    const auto spoken = std::exchange(spoken_on_, std::nullopt);
    if (spoken && is_chunk_of_reply(*spoken))
        reply_before_ = std::move(reply_);
    else if (!spoken || !find_reply(*spoken))
        reply_before_.reset();
    if (spoken) last_words_ = spoken;
}

void voice_turn_machine::drop_resume() {
    resume_.is_due = false;
    spoken_on_.reset();
}

void voice_turn_machine::drop_resume_if_heard() {
    const bool is_complete = reply_->progress == last_reply::state::complete;
    if (is_complete && !reply_->is_unheard && !reply_->has_unsent()) resume_.is_due = false;
}

}  // namespace tandem::gateway

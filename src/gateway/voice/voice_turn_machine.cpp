#include "gateway/voice/voice_turn_machine.hpp"

#include "text/characters/white_space.hpp"

#include <algorithm>
#include <cmath>

namespace tandem::gateway {
namespace {

using kind = voice_turn::kind;

bool is_question(const voice_turn& turn) {
    return turn.what == kind::reply && !turn.messages.empty() &&
           turn.messages.back().role == "user";
}

bool has_space_between(std::string_view text, std::string_view next) {
    return text::trim_trailing_space(text) != text || text::trim_leading_space(next) != next;
}

}  // namespace

voice_turn_machine::voice_turn_machine(voice_setup setup) : setup_(std::move(setup)) {}

// --- sockets

void voice_turn_machine::on_socket_lost(time_point now, voice_socket socket) {
    if (is_over() || socket_ != socket) return;
    detach_socket(now);
    drop_permits();
    actions_.push_back(voice_action::keep{});
    advance(now);
}

void voice_turn_machine::detach_socket(time_point now) {
    socket_.reset();
    // After a reconnection, clients count each filler of the turn as repeated words of the reply.
    is_filler_used_ = true;
    if (!reply_) return;
    const bool speaks_before_calls = has_turn_called() && reply_->is_speaking && !is_aside();
    if (calls_.is_pending() || speaks_before_calls) resume_.is_due = true;
    cut_calling_reply(now);
    if (is_spoken_to_end()) {
        resume_.is_due = true;
        last_words_.reset();
    }
    if (!is_running() || reply_->interrupted) return;
    if (!reply_->turn->is_outside_history()) resume_.is_due = true;
    reply_->is_unheard = reply_->is_speaking;
    interrupt();
}

void voice_turn_machine::send(std::string text) {
    if (socket_) actions_.push_back(voice_action::send{*socket_, std::move(text)});
}

void voice_turn_machine::deliver(std::string text) {
    if (socket_) return send(std::move(text));
    held_texts_.push_back({std::move(text)});
}

void voice_turn_machine::deliver_end(const voice_turn& turn, std::string text) {
    if (socket_) return send(std::move(text));
    held_texts_.push_back({std::move(text), turn.id});
}

// The end of a turn that was never started.
void voice_turn_machine::deliver_end(const voice_turn& turn) {
    const reply_result none{.finish_reason = finish_reason::interrupted};
    deliver_end(
        turn,
        encode_end(
            {.reply = turn.number, .turn = turn.id, .result = none, .timeline = turn.timeline}));
}

void voice_turn_machine::send_error(api_error why) {
    send(encode_error({.why = std::move(why), .turn = answered_.turn, .call = answered_.call}));
}

// --- turns and replies

void voice_turn_machine::request_next_chunk() {
    if (!is_running() || reply_->filler.answer || std::exchange(reply_->is_asked, true)) return;
    actions_.push_back(voice_action::next_chunk{reply_->turn->number});
}

void voice_turn_machine::interrupt() {
    if (!is_running() || reply_->interrupted) return;
    reply_->is_speaking = false;
    reply_->filler.is_speaking = false;
    reply_->interrupted = {
        .has_unsent = std::exchange(reply_->filler.answer, std::nullopt).has_value(),
        .has_cut_last_words = std::exchange(last_words_, std::nullopt).has_value()};
    if (!is_aside()) has_cut_words_ = true;
    actions_.push_back(voice_action::interrupt{reply_->turn->is_outside_history()});
    request_next_chunk();
}

// A reply that ended without a continue for its last chunk may still be playing: only the client
// knows.
void voice_turn_machine::interrupt_last_words() {
    if (is_running() || !reply_) return;
    last_words_.reset();
    const bool was_spoken_on = std::exchange(spoken_on_, std::nullopt).has_value();
    const bool was_speaking = std::exchange(reply_->is_speaking, false) || was_spoken_on;
    if (!was_speaking || reply_->turn->is_outside_history()) return;
    has_cut_words_ = true;
    actions_.push_back(voice_action::interrupt{});
}

void voice_turn_machine::cancel_waiting(queue::iterator end) {
    std::for_each(waiting_.begin(), end, [](waiting_turn& w) { w.is_cancelled = true; });
}

/// Ends all waiting turns with this error, or as interrupted.
void voice_turn_machine::end_waiting_turns(const api_error* why) {
    for (const auto& w : std::exchange(waiting_, {})) {
        if (w.turn->what == kind::messages) continue;
        if (why && !w.is_cancelled)
            deliver_end(*w.turn,
                        encode_error({.why = *why, .reply = w.turn->number, .turn = w.turn->id}));
        else
            deliver_end(*w.turn);
    }
}

auto voice_turn_machine::find_waiting(std::uint64_t number) -> queue::iterator {
    return std::ranges::find(waiting_, number,
                             [](const waiting_turn& w) { return w.turn->number; });
}

// The user is speaking, so earlier turns and the running reply must stop.
void voice_turn_machine::interrupt_for(time_point now, queue::iterator turn) {
    if (spoken_on_ || is_spoken_to_end()) interrupt_last_words();
    drop_resume();
    cancel_waiting(turn);
    cut_calling_reply(now);
    interrupt();
}

void voice_turn_machine::advance(time_point now) {
    while (!is_over() && !is_running() && start_next_waiting_turn(now)) {
    }
    if (!is_over() && !is_running()) finish_if_done();
}

/// Starts the next turn if it is permitted, and there is a socket.
bool voice_turn_machine::start_next_waiting_turn(time_point now) {
    resume_if_due(now);
    queue_reply_to_results(now);
    const auto next = find_next_turn();
    if (next == waiting_.end() || !next->is_permitted) return false;
    if (!socket_ && !next->is_cancelled) return false;
    const auto taken = std::move(*next);
    waiting_.erase(next);
    start_waiting_turn(now, taken);
    return true;
}

void voice_turn_machine::start_waiting_turn(time_point now, const waiting_turn& next) {
    const auto& turn = next.turn;
    if (turn->needs_exact_draft && has_conversation_)
        actions_.push_back(voice_action::drop_draft{turn->messages.back().content});
    // A raw prompt has a separate conversation, so it does not drop the draft by itself.
    if (turn->what == kind::prompt && has_conversation_)
        actions_.push_back(voice_action::drop_draft{});
    const bool has_messages = !turn->messages.empty() || !turn->results.empty();
    if (has_messages && !is_repeated(*turn)) put_messages_in_history(*turn);
    if (turn->what == kind::messages) return;
    if (next.is_cancelled) return deliver_end(*turn);
    if (turn->is_given_text()) return say_given_text(now, turn);
    if (turn->what == kind::prompt) return begin_reply(now, turn, voice_action::generate_raw{turn});
    if (turn->what == kind::resume) return resume(now, turn);
    begin_reply(now, turn, voice_action::generate{turn});
}

void voice_turn_machine::say_given_text(time_point now, const voice_turn_ptr& turn) {
    put_messages_in_history(*turn);
    if (turn->what == kind::aside) return begin_reply(now, turn, voice_action::say_aside{turn});
    begin_reply(now, turn, voice_action::say_text{turn});
}

void voice_turn_machine::resume(time_point now, const voice_turn_ptr& turn) {
    const auto speaking = spoken_on_ ? find_in_history(*spoken_on_) : std::nullopt;
    begin_reply(now, turn, voice_action::resume{turn, speaking});
}

// A client repeats the start of a turn if its answer was lost with the connection.
bool voice_turn_machine::is_repeated(const voice_turn& turn) const {
    return unanswered_ && !turn.id.empty() && turn.id == unanswered_->turn && is_question(turn) &&
           turn.messages.back().content == unanswered_->text;
}

/// Opens the conversation if it is the session's first turn.
void voice_turn_machine::put_messages_in_history(const voice_turn& turn) {
    if (is_question(turn)) unanswered_ = recorded_question{turn.id, turn.messages.back().content};
    for (const auto& m : turn.messages)
        if (m.role == "tool") calls_.forget_late(m.tool_call_id);
    if (std::exchange(has_conversation_, true)) return add_messages(turn);
    auto options = setup_.conversation;
    options.messages.insert(options.messages.end(), turn.messages.begin(), turn.messages.end());
    actions_.push_back(voice_action::open_conversation{std::move(options)});
    if (turn.what == kind::messages) actions_.push_back(voice_action::warm{turn.options});
}

void voice_turn_machine::add_messages(const voice_turn& turn) {
    for (const auto& r : turn.results) actions_.push_back(voice_action::answer_call{r});
    for (const auto& m : turn.messages) actions_.push_back(voice_action::append{m});
}

template <class Action>
void voice_turn_machine::begin_reply(time_point now, const voice_turn_ptr& turn, Action action) {
    keep_last_words(*turn);
    const bool repeats_words = turn->is_continuation() && !last_words_;
    carry_over_spoken_chunk();
    reply_ = last_reply{.turn = turn, .begun_at = now};
    if (!is_aside()) {
        if (!turn->is_continuation()) earlier_words_.clear();
        last_turn_ = turn;
        calls_.begin_reply();
        has_cut_words_ = false;
        is_filler_used_ = is_filler_used_ && !turn->results.empty();
        if (!last_words_) arm_filler(turn->asked_at);
    }
    actions_.push_back(std::move(action));
    if (!turn->options.tools.empty() && !turn->is_given_text())
        actions_.push_back(voice_action::await_calls{turn->number});
    actions_.push_back(voice_action::next_chunk{turn->number});
    if (repeats_words) speak_earlier_words(now);
}

// The resumed reply begins before all waiting turns, except a reply to calls if the words before
// the calls were heard.
void voice_turn_machine::resume_if_due(time_point now) {
    if (is_reply_to_calls_waiting())
        resume_.is_due = resume_.is_due && has_cut_words_;
    else if (!waiting_.empty() && !waiting_.front().turn->results.empty())
        return;
    if (!socket_ || is_closing() || !std::exchange(resume_.is_due, false)) return;
    const auto id = std::exchange(resume_.turn, {});
    queue_turn(now, make_resume(resume_.wants_timeline, id.empty() ? last_turn_->id : id),
               waiting_.begin());
}

void voice_turn_machine::finish_if_done() {
    if (stage_ == stage::leaving) return finish(voice_close::moved);
    if (is_closing() && waiting_.empty())
        finish(stage_ == stage::ending ? voice_close::done : voice_close::restarting);
}

void voice_turn_machine::finish(voice_close why) {
    if (std::exchange(stage_, stage::over) == stage::over) return;
    if (socket_) actions_.push_back(voice_action::close{*socket_, why});
    socket_.reset();
    const bool is_moved = why == voice_close::moved || why == voice_close::taken_over;
    actions_.push_back(voice_action::forget{is_moved});
}

void voice_turn_machine::on_chunk(time_point now, std::uint64_t number, const chunk& c) {
    if (is_over() || !is_running() || reply_->turn->number != number) return;
    reply_->is_asked = false;
    // This chunk was pending when the reply was interrupted. Only the end matters.
    if (reply_->interrupted) {
        reply_->interrupted->has_unsent = true;
        return request_next_chunk();
    }
    if (!reply_->turn->is_outside_history()) unanswered_.reset();
    if (!reply_->first_chunk_at) reply_->first_chunk_at = now;
    if (reply_->filler.is_speaking) return void(reply_->filler.answer = c);
    reply_->id = c.id.reply;
    reply_->chunks = c.id.seq + 1 + reply_->count_fillers();
    const bool is_spaced = has_space_between(reply_->text, c.text);
    reply_->text += c.text;
    if (reply_->unspoken.empty()) reply_->spoken_since = now;
    reply_->unspoken.push_back({c.speech, c.tokens, is_spaced});
    reply_->is_speaking = true;
    auto sent = c;
    sent.id.seq += reply_->count_fillers();
    sent.early = c.early || last_words_.has_value();
    send(encode_chunk(number, reply_->turn->id, sent));
    request_early_chunk(c);
}

void voice_turn_machine::request_early_chunk(const chunk& last) {
    if (calls_.has_reply_called() && !is_aside()) return request_next_chunk();
    const auto lookahead = static_cast<std::size_t>(reply_->turn->options.lookahead);
    if (last.boundary != boundary::end && reply_->unspoken.size() <= lookahead)
        request_next_chunk();
}

std::optional<voice_timing> voice_turn_machine::report_first_chunk(const reply_result& result) {
    if (!reply_->first_chunk_at || reply_->turn->is_given_text()) return std::nullopt;
    const auto& turn = *reply_->turn;
    const auto chunk_at = *reply_->first_chunk_at;
    const auto timing = compute_voice_timing({.asked_at = turn.asked_at,
                                              .begun_at = reply_->begun_at,
                                              .chunk_at = chunk_at,
                                              .user_stopped_ago = turn.user_stopped_ago,
                                              .vad_stop = turn.vad_stop},
                                             result);
    actions_.push_back(voice_action::first_chunk{chunk_at - turn.asked_at, timing});
    return timing;
}

void voice_turn_machine::on_reply_ended(time_point now, std::uint64_t number, reply_result result) {
    if (is_over() || !is_running() || reply_->turn->number != number) return;
    reply_->is_asked = false;
    reply_->progress = last_reply::state::incomplete;
    if (!is_aside()) settle_ended_reply(now, result);
    const bool is_followed = is_followed_by_reply(result);
    if (is_followed) {
        result.finish_reason = finish_reason::tool_calls;
        result.error = {};
    }
    // The rest can still be resumed.
    const bool has_begun = reply_->chunks > reply_->count_fillers();
    if (reply_->turn->has_called && result.error && !has_begun) has_cut_words_ = true;
    deliver_end(*reply_->turn,
                encode_end({.reply = number,
                            .turn = reply_->turn->id,
                            .result = result,
                            .sent_bytes = reply_->text.size(),
                            .heard_tokens = static_cast<int>(std::lround(reply_->heard_tokens)),
                            .silence = report_first_chunk(result),
                            .timeline = reply_->turn->timeline}));
    if (is_followed) queue_reply_after_rest(now);
    advance(now);
}

void voice_turn_machine::settle_ended_reply(time_point now, const reply_result& result) {
    // A resumed reply without words ends immediately, but the words before it may never be heard.
    const bool is_open = reply_->has_cut_last_words() || is_spoken_to_end();
    if (is_open && has_conversation_) actions_.push_back(voice_action::interrupt{});
    // A reply that ended before the interruption was heard, unless the voice was speaking.
    if (result.finish_reason != finish_reason::interrupted && !has_turn_called() && !is_open)
        reply_->progress = last_reply::state::complete;
    drop_resume_if_heard();
    end_calls(now, result);
}

// --- shutdown

void voice_turn_machine::drain(time_point now) {
    if (is_over()) return;
    if (stage_ == stage::open) stage_ = stage::draining;
    is_moving_ = false;
    move_due_.reset();
    drop_calls(now);
    const auto why = make_stopping_error();
    end_waiting_turns(&why);
    advance(now);
}

void voice_turn_machine::stop(time_point now, bool is_recorded) {
    if (is_over()) return;
    if (is_moving_ && is_recorded) return release_to_gateway(now, voice_close::moved);
    interrupt();
    drain(now);
}

void voice_turn_machine::on_exception() {
    actions_.clear();
    finish(voice_close::broken);
}

void voice_turn_machine::check(time_point now) {
    if (is_over()) return;
    if (const auto due = filler_due(); due && *due <= now) speak_filler(now);
    if (const auto due = continue_due(); due && *due <= now) on_continue_overdue(now);
    if (move_due_ && *move_due_ <= now) move_due_.reset();
    drop_late_calls(now);
    advance(now);
}

// Requests the next chunk anyway. If the overdue chunk was the last one, the reply then ends;
// otherwise it reports why it does not continue. An ended reply no longer delays asides, and a
// filler no longer delays the answer.
void voice_turn_machine::on_continue_overdue(time_point now) {
    if (reply_->filler.is_speaking) return end_filler(now);
    if (!is_running()) reply_->is_speaking = false;
    request_next_chunk();
}

std::optional<time_point> voice_turn_machine::next_check() const {
    std::optional<time_point> next;
    for (const auto due : {continue_due(), calls_.deadline(), filler_due(), move_due_})
        if (due && (!next || *due < *next)) next = due;
    return next;
}

std::optional<time_point> voice_turn_machine::continue_due() const {
    if (!is_running() && !has_aside_after_speech()) return std::nullopt;
    const bool is_awaited = reply_->is_asked && !reply_->filler.is_speaking;
    if (!reply_->is_speaking || is_awaited) return std::nullopt;
    return reply_->spoken_since + setup_.continue_timeout;
}

}  // namespace tandem::gateway

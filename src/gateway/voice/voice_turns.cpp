#include "gateway/voice/voice_turns.hpp"

#include "text/characters/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <variant>

namespace tandem::gateway {
namespace {

using kind = voice_turn::kind;

}  // namespace

voice_turns::voice_turns(voice_setup setup) : setup_(std::move(setup)) {}

// --- sockets

void voice_turns::dropped(time_point now, voice_socket socket) {
    if (is_over_ || socket_ != socket) return;
    lose_socket();
    actions_.push_back(voice_action::keep{});
    advance(now);
}

void voice_turns::lose_socket() {
    socket_.reset();
    if (!reply_) return;
    if (!is_running() || reply_->is_interrupted) return;
    is_resume_due_ = reply_->turn->what != kind::prompt;
    reply_->is_unheard = reply_->is_speaking;
    interrupt();
}

void voice_turns::send(std::string text) {
    if (socket_) actions_.push_back(voice_action::send{*socket_, std::move(text)});
}

void voice_turns::deliver(std::string text) {
    if (socket_) return send(std::move(text));
    held_ends_.push_back(std::move(text));
}

// Of a turn that was never begun.
void voice_turns::deliver_end(const voice_turn& turn) {
    const reply_result none{.finish_reason = finish_reason::interrupted};
    deliver(end_text(
        {.reply = turn.number, .turn = turn.id, .result = none, .timeline = turn.timeline}));
}

void voice_turns::send_error(api_error why) {
    send(error_text({.why = std::move(why), .turn = answered_}));
}

// --- turns and replies

void voice_turns::ask_for_chunk() {
    if (!is_running() || std::exchange(reply_->is_asked, true)) return;
    actions_.push_back(voice_action::next_chunk{reply_->turn->number});
}

void voice_turns::interrupt() {
    if (!is_running() || std::exchange(reply_->is_interrupted, true)) return;
    reply_->is_speaking = false;
    actions_.push_back(voice_action::interrupt{reply_->turn->what == kind::prompt});
    ask_for_chunk();
}

// A reply that ended without the continue of its last chunk, as that took so long, may still be
// spoken; only the client knows.
void voice_turns::interrupt_last_words() {
    if (is_running() || !reply_ || !std::exchange(reply_->is_speaking, false)) return;
    if (reply_->turn->what != kind::prompt) actions_.push_back(voice_action::interrupt{});
}

void voice_turns::cancel_waiting() {
    for (auto& w : waiting_) w.is_cancelled = true;
}

/// All that waits ends with this error, or as interrupted.
void voice_turns::end_waiting(const api_error* why) {
    for (const auto& w : std::exchange(waiting_, {})) {
        if (w.turn->what == kind::messages) continue;
        if (why && !w.is_cancelled)
            deliver(error_text({.why = *why, .reply = w.turn->number, .turn = w.turn->id}));
        else
            deliver_end(*w.turn);
    }
}

void voice_turns::permitted(time_point now, std::uint64_t number) {
    for (auto& w : waiting_) w.is_permitted = w.is_permitted || w.turn->number == number;
    advance(now);
}

void voice_turns::refused(time_point now, std::uint64_t number, api_error why) {
    const auto found = std::ranges::find_if(
        waiting_, [&](const waiting_turn& w) { return w.turn->number == number; });
    if (found == waiting_.end() || found->is_permitted) return;
    voice_error error{.why = std::move(why), .turn = found->turn->id};
    if (found->turn->what != kind::messages) error.reply = number;
    waiting_.erase(found);
    deliver(error_text(error));
    advance(now);
}

/// Begins what can be begun: nothing runs, the turn is permitted, and somebody listens.
void voice_turns::advance(time_point now) {
    if (is_over_) return;
    while (!is_running() && !waiting_.empty()) {
        const auto& next = waiting_.front();
        if (!next.is_permitted || (!socket_ && !next.is_cancelled)) return;
        const auto taken = std::move(waiting_.front());
        waiting_.pop_front();
        take(now, taken);
    }
    if (is_running()) return;
    resume_if_due(now);
    finish_if_done();
}

void voice_turns::take(time_point now, const waiting_turn& next) {
    const auto& turn = next.turn;
    if (!turn->messages.empty()) say(*turn);
    if (turn->what == kind::messages) return;
    if (next.is_cancelled) return deliver_end(*turn);
    if (turn->what == kind::prompt) return begin(now, turn, voice_action::generate_raw{turn});
    if (turn->what == kind::resume) return begin(now, turn, voice_action::resume{turn->number});
    begin(now, turn, voice_action::generate{turn});
}

void voice_turns::say(const voice_turn& turn) {
    if (std::exchange(has_conversation_, true)) {
        for (const auto& m : turn.messages) actions_.push_back(voice_action::append{m});
        return;
    }
    auto options = setup_.conversation;
    options.messages.insert(options.messages.end(), turn.messages.begin(), turn.messages.end());
    actions_.push_back(voice_action::open_conversation{std::move(options)});
    if (turn.what == kind::messages) actions_.push_back(voice_action::warm{});
}

template <class Action>
void voice_turns::begin(time_point now, const voice_turn_ptr& turn, Action action) {
    reply_ = last_reply{.turn = turn, .begun_at = now};
    actions_.push_back(std::move(action));
    actions_.push_back(voice_action::next_chunk{turn->number});
}

void voice_turns::resume_if_due(time_point now) {
    if (!socket_ || is_closing() || !std::exchange(is_resume_due_, false)) return;
    auto id = std::exchange(resumed_as_, {});
    wait_to_resume(now, wants_timeline_, id.empty() ? reply_->turn->id : id);
}

void voice_turns::finish_if_done() {
    if (is_closing() && waiting_.empty())
        finish(is_ending_ ? voice_close::done : voice_close::restarting);
}

void voice_turns::finish(voice_close why) {
    if (socket_) actions_.push_back(voice_action::close{*socket_, why});
    socket_.reset();
    is_over_ = true;
    actions_.push_back(voice_action::forget{});
}

void voice_turns::chunk_came(time_point now, std::uint64_t number, const chunk& c) {
    if (is_over_ || !is_running() || reply_->turn->number != number) return;
    reply_->is_asked = false;
    // It was under way when the reply was interrupted: the end is what is waited for.
    if (reply_->is_interrupted) return ask_for_chunk();
    reply_->id = c.id.reply;
    reply_->chunks = c.id.seq + 1;
    reply_->bytes += c.text.size();
    reply_->tokens = c.tokens;
    reply_->characters = text::count_characters(c.speech);
    reply_->heard_share = 0;
    reply_->is_speaking = true;
    reply_->spoken_since = now;
    send(chunk_text(number, reply_->turn->id, c));
    if (!reply_->first_chunk_at) reply_->first_chunk_at = now;
}

std::optional<voice_timing> voice_turns::measure(const reply_result& result) {
    if (!reply_->first_chunk_at) return std::nullopt;
    const auto& turn = *reply_->turn;
    const auto chunk_at = *reply_->first_chunk_at;
    const auto timing = timing_of({.asked_at = turn.asked_at,
                                   .begun_at = reply_->begun_at,
                                   .chunk_at = chunk_at,
                                   .user_stopped_ago = turn.user_stopped_ago,
                                   .vad_stop = turn.vad_stop},
                                  result);
    actions_.push_back(voice_action::first_chunk{chunk_at - turn.asked_at, timing});
    return timing;
}

void voice_turns::reply_ended(time_point now, std::uint64_t number, const reply_result& result) {
    if (is_over_ || !is_running() || reply_->turn->number != number) return;
    reply_->is_ended = true;
    reply_->is_asked = false;
    // It was over before it could be interrupted, and nothing of it is unheard.
    if (result.finish_reason != finish_reason::interrupted && !reply_->is_unheard)
        is_resume_due_ = false;
    deliver(end_text(
        {.reply = number,
         .turn = reply_->turn->id,
         .result = result,
         .sent_bytes = reply_->bytes,
         .heard_tokens = static_cast<int>(std::lround(reply_->heard_share * reply_->tokens)),
         .silence = measure(result),
         .timeline = reply_->turn->timeline}));
    advance(now);
}

// --- ends

void voice_turns::drain(time_point now) {
    if (is_over_) return;
    is_draining_ = true;
    const auto why = gateway_stopping();
    end_waiting(&why);
    advance(now);
}

void voice_turns::stop(time_point now) {
    if (is_over_) return;
    is_draining_ = true;
    interrupt();
    drain(now);
}

void voice_turns::broke() {
    actions_.clear();
    finish(voice_close::broken);
}

// A reply whose last chunk was not continued ends then; what else keeps it from continuing is told.
void voice_turns::check(time_point now) {
    if (const auto due = next_check(); due && *due <= now) ask_for_chunk();
}

std::optional<time_point> voice_turns::next_check() const {
    if (!is_running() || !reply_->is_speaking || reply_->is_asked) return std::nullopt;
    return reply_->spoken_since + setup_.continue_timeout;
}

}  // namespace tandem::gateway

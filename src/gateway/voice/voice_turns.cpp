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

// The conversation's clock starts at the interrupt, the session's when that was done.
constexpr duration grace_beyond_session = std::chrono::seconds(5);
constexpr duration longest_grace = std::chrono::hours(1);

api_error invalid(std::string field, std::string_view what) {
    return {.status = 400,
            .type = "invalid_request_error",
            .code = "invalid_value",
            .message = fmt::format("{} {}", field, what),
            .param = std::move(field)};
}

api_error conflict(std::string code, std::string message) {
    return {.status = 409,
            .type = "invalid_request_error",
            .code = std::move(code),
            .message = std::move(message)};
}

bool has_words(const voice::start& m) {
    return m.text || m.prompt || !m.messages.empty();
}

// What the user or a tool said last is to be answered.
kind kind_of(const voice::start& m) {
    if (m.prompt) return kind::prompt;
    if (m.text) return kind::reply;
    const auto& role = m.messages.back().role;
    return role == "user" || role == "tool" ? kind::reply : kind::messages;
}

// An interrupted turn can be resumed at least as long as its session is kept.
conversation_options kept_as_long(conversation_options o, const voice_limits& limits) {
    const auto needed = std::min(limits.session_kept + grace_beyond_session, longest_grace);
    o.resume_grace = std::max(o.resume_grace, needed);
    return o;
}

}  // namespace

std::string no_session(std::string turn) {
    return error_text(
        {.why = conflict("no_session", "the first message is start"), .turn = std::move(turn)});
}

voice_turns::voice_turns(voice_setup setup) : setup_(std::move(setup)) {}

// --- sockets

void voice_turns::attached(time_point now, voice_socket socket, voice::start first) {
    if (is_over_) return;
    if (socket_) {
        actions_.push_back(voice_action::close{*socket_, voice_close::taken_over});
        lose_socket();
    }
    socket_ = socket;
    const bool resumed = std::exchange(was_attached_, true);
    wants_timeline_ = first.timeline;
    answered_ = first.turn;
    resumed_as_.clear();
    take_conversation(first.conversation);
    send(ready_text({.session = setup_.session,
                     .model = setup_.model,
                     .resumed = resumed,
                     .limits = setup_.limits,
                     .resume_grace = setup_.conversation.resume_grace,
                     .continue_timeout = setup_.continue_timeout}));
    for (auto& end : std::exchange(held_ends_, {})) send(std::move(end));
    if (!resumed) take_options(first);
    if (is_of_other_model(first)) return advance(now);
    if (has_words(first))
        start_turn(now, std::move(first));
    else if (resumed)
        resumed_as_ = std::move(first.turn);
    else
        merged(first.options);  // no turn tells of their faults
    advance(now);
}

void voice_turns::told(time_point now, voice_socket socket, voice_message message) {
    if (is_over_ || is_ending_ || socket_ != socket) return;
    answered_ = turn_of(message);
    std::visit([&](auto& m) { said(now, std::move(m)); }, message);
    advance(now);
}

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

// --- what the client says

bool voice_turns::is_refused(const generation_options& merged) {
    const auto faults = tandem::check(merged);
    if (!faults.empty()) send_error(invalid("options." + faults[0].field, faults[0].message));
    return !faults.empty();
}

// As they are now: what counts may have changed since the session began.
bool voice_turns::take_adapters(const generation_changes& changes, generation_options& out) {
    if (!setup_.adapters) return true;
    auto set = setup_.adapters(changes.lora ? changes.lora : setup_.lora);
    if (auto* const error = std::get_if<api_error>(&set)) {
        error->param = "options." + error->param;
        send_error(std::move(*error));
        return false;
    }
    out.lora = std::get<std::vector<adapter_scale>>(std::move(set));
    return true;
}

bool voice_turns::refuse_if(bool is_wrong, const char* field, std::string_view what) {
    if (is_wrong) send_error(invalid(field, what));
    return is_wrong;
}

bool voice_turns::is_of_other_model(const voice::start& m) {
    return refuse_if(!m.model.empty() && m.model != setup_.model && m.model != setup_.asked_model,
                     "model", "is not that of the session");
}

bool voice_turns::is_refused(const voice::start& m) {
    return refuse_if(!m.session.empty() && m.session != setup_.session, "session",
                     "is not that of this socket; take it up with another one") ||
           is_of_other_model(m) ||
           refuse_if(has_conversation_ && m.conversation != conversation_changes(), "conversation",
                     "comes too late: the session has its options") ||
           refuse_if(!has_words(m), "text", "is missing, and so are messages and prompt");
}

/// What is told to be wrong if they cannot be used.
std::optional<generation_options> voice_turns::merged(const generation_changes& changes) {
    auto options = changed(setup_.generation, changes);
    if (is_refused(options) || !take_adapters(changes, options)) return std::nullopt;
    return options;
}

// Those of the start that begins the session are for all of its turns, but for what cannot be used:
// that start alone is refused for it.
void voice_turns::take_options(const voice::start& first) {
    auto options = changed(setup_.generation, first.options);
    if (tandem::check(options).empty()) setup_.generation = std::move(options);
    const auto& lora = first.options.lora;
    if (setup_.adapters && std::holds_alternative<api_error>(setup_.adapters(lora))) return;
    setup_.lora = lora;
}

void voice_turns::take_conversation(const conversation_changes& changes) {
    setup_.conversation = kept_as_long(changed(setup_.conversation, changes), setup_.limits);
    if (changes.interrupted_mark) interrupted_mark_ = *changes.interrupted_mark;
}

void voice_turns::said(time_point now, voice::start m) {
    if (is_refused(m)) return;
    if (!has_conversation_) take_conversation(m.conversation);
    start_turn(now, std::move(m));
}

bool voice_turns::takes_turns() {
    if (is_closing()) {
        send_error(gateway_stopping());
        return false;
    }
    if (waiting_.size() < setup_.limits.waiting_turns) return true;
    send_error({.status = 429,
                .type = "rate_limit_error",
                .code = "too_many_turns",
                .message = fmt::format("{} turns wait already", waiting_.size())});
    return false;
}

void voice_turns::start_turn(time_point now, voice::start m) {
    if (!takes_turns()) return;
    auto options = merged(m.options);
    if (!options) return;
    const auto what = kind_of(m);
    if (m.text) m.messages.push_back({.role = "user", .content = std::move(*m.text)});
    // Who speaks talks over what is spoken.
    if (what != kind::messages) {
        is_resume_due_ = false;
        cancel_waiting();
        interrupt();
    }
    wait(now, {.id = std::move(m.turn),
               .what = what,
               .messages = std::move(m.messages),
               .prompt = std::move(m.prompt).value_or(""),
               .options = *std::move(options),
               .timeline = m.timeline,
               .user_stopped_ago = m.user_stopped_ago,
               .vad_stop = m.vad_stop});
}

void voice_turns::wait(time_point now, voice_turn turn) {
    turn.number = ++last_number_;
    turn.asked_at = now;
    if (turn.what != kind::resume) turn.interrupted_mark = interrupted_mark_;
    waiting_.push_back({.turn = std::make_shared<const voice_turn>(std::move(turn))});
    actions_.push_back(voice_action::check_turn{waiting_.back().turn});
}

// It has a time line if the turn had one, too.
void voice_turns::wait_to_resume(time_point now, bool timeline, std::string id) {
    wait(now, {.id = std::move(id),
               .what = kind::resume,
               .timeline = timeline || (reply_ && reply_->turn->timeline)});
}

void voice_turns::said(time_point, const voice::continued& m) {
    if (!reply_ || !reply_->is_speaking) return;
    if (m.chunk != chunk_name{reply_->turn->number, reply_->chunks - 1}) return;
    reply_->is_speaking = false;
    reply_->tokens = 0;  // the reply counts them as heard
    actions_.push_back(voice_action::continue_after{{reply_->id, m.chunk.seq}});
    ask_for_chunk();
}

void voice_turns::said(time_point now, const voice::interrupt& m) {
    if (m.heard) said(now, *m.heard);
    is_resume_due_ = false;
    cancel_waiting();
    interrupt();
    interrupt_last_words();
}

void voice_turns::said(time_point now, const voice::resume& m) {
    const bool is_replying = is_running() && !reply_->is_interrupted;
    const bool has_waiting = std::ranges::any_of(waiting_, [](const waiting_turn& w) {
        return w.turn->what != kind::messages && !w.is_cancelled;
    });
    if (is_replying || has_waiting)
        return send_error(conflict("reply_running", "there is a reply; interrupt it first"));
    if (!has_conversation_)
        return send_error(conflict("nothing_to_resume", "no turn was interrupted"));
    is_resume_due_ = false;
    if (takes_turns()) wait_to_resume(now, false, m.turn);
}

void voice_turns::said(time_point, const voice::end&) {
    is_ending_ = true;
    interrupt();
    end_waiting(nullptr);
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

// A reply whose last chunk was not continued ends then; what else keeps it from going on is told.
void voice_turns::check(time_point now) {
    if (const auto due = next_check(); due && *due <= now) ask_for_chunk();
}

std::optional<time_point> voice_turns::next_check() const {
    if (!is_running() || !reply_->is_speaking || reply_->is_asked) return std::nullopt;
    return reply_->spoken_since + setup_.continue_timeout;
}

}  // namespace tandem::gateway

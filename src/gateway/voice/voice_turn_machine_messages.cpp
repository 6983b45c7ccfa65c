// Messages of the client.
#include "base/format_count.hpp"
#include "gateway/voice/voice_turn_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

namespace tandem::gateway {
namespace {

using kind = voice_turn::kind;

// The conversation's grace period starts at the interrupt, the session's only later.
constexpr duration grace_beyond_session = std::chrono::seconds(5);
constexpr duration max_grace = std::chrono::hours(1);

bool has_words(const voice::start& m) {
    return m.text || m.prompt || !m.messages.empty();
}

/// Like tandem::check(), but also rejects a `tool_choice` of this message that requires a call if
/// there are no tools.
std::vector<config_fault> check_changed(const generation_options& merged,
                                        const generation_changes& changes) {
    auto faults = tandem::check(merged);
    const auto& choice = merged.tool_choice;
    const bool is_required = !choice.empty() && choice != "auto" && choice != "none";
    const bool is_of_message =
        std::ranges::find(changes.given, "tool_choice") != changes.given.end();
    if (is_required && is_of_message && merged.tools.empty())
        faults.push_back({"tool_choice", "requires a call, but there are no tools"});
    return faults;
}

// A user or tool message at the end requests a reply.
kind kind_of(const voice::start& m) {
    if (m.prompt) return kind::prompt;
    if (m.text) return kind::reply;
    const auto& role = m.messages.back().role;
    return role == "user" || role == "tool" ? kind::reply : kind::messages;
}

// An interrupted turn must be resumable at least as long as its session is kept.
duration find_least_grace(const voice_limits& limits) {
    return std::min(limits.session_kept + grace_beyond_session, max_grace);
}

}  // namespace

std::string encode_no_session_error(voice_message_ids ids) {
    return encode_error({.why = make_error(409, "no_session", "the first message must be start"),
                         .turn = std::move(ids.turn),
                         .call = std::move(ids.call)});
}

void voice_turn_machine::on_socket_attached(time_point now, voice_socket socket,
                                            voice::start first) {
    if (is_over()) return;
    if (socket_) {
        actions_.push_back(voice_action::close{*socket_, voice_close::taken_over});
        detach_socket(now);
    }
    socket_ = socket;
    is_released_ = false;
    const bool resumed = std::exchange(was_attached_, true);
    resume_.wants_timeline = first.timeline;
    answered_ = {.turn = first.turn};
    resume_.turn.clear();
    if (!has_conversation_) set_conversation_options(first.conversation);
    spoken_on_.reset();
    if (first.last) apply_last_heard(*first.last);
    if (first.text || first.prompt || has_user_turn_waiting()) drop_resume();
    if (is_running()) reply_->is_unheard = true;  // ready promises the resumed reply
    send(encode_ready({.session = setup_.session,
                       .model = setup_.model,
                       .resumed = resumed,
                       .turns = list_open_turns(first),
                       .limits = setup_.limits,
                       .resume_grace = setup_.conversation.resume_grace,
                       .continue_timeout = setup_.continue_timeout}));
    for (auto& held : std::exchange(held_texts_, {})) send(std::move(held.text));
    check_due_turns();
    if (!resumed) set_session_options(first.options);
    if (reject_other_model(first)) return advance(now);
    if (has_words(first))
        start_turn(now, std::move(first));
    else if (resumed)
        resume_.turn = std::move(first.turn);
    else
        merge_options(first.options);  // reports faults of the options, because no turn does
    advance(now);
}

void voice_turn_machine::on_message(time_point now, voice_socket socket, voice_message message) {
    if (is_over() || stage_ == stage::ending || socket_ != socket) return;
    answered_ = get_ids(message);
    std::visit([&](auto& m) { handle(now, std::move(m)); }, message);
    advance(now);
}

bool voice_turn_machine::reject_faulty_options(const std::vector<config_fault>& faults) {
    if (!faults.empty())
        send_error(make_invalid_value_error("options." + faults[0].field, faults[0].message));
    return !faults.empty();
}

// Uses the current scales, which may have changed since the session began.
bool voice_turn_machine::resolve_adapters(const generation_changes& changes,
                                          generation_options& out) {
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

bool voice_turn_machine::reject_if(bool is_wrong, const char* field, std::string_view what) {
    if (is_wrong) send_error(make_invalid_value_error(field, what));
    return is_wrong;
}

bool voice_turn_machine::reject_other_model(const voice::start& m) {
    return reject_if(!m.model.empty() && m.model != setup_.model && m.model != setup_.asked_model,
                     "model", "is not that of the session");
}

// The first start may ask for less, because `ready` tells the client what it gets.
bool voice_turn_machine::reject_short_grace(const voice::start& m) {
    const auto least = find_least_grace(setup_.limits);
    const auto asked = m.conversation.resume_grace.value_or(least);
    return reject_if(asked < least, "conversation.resume_grace_ms",
                     fmt::format("is {}; it must be at least {}, which is session_kept_ms + {}",
                                 to_ms(asked), to_ms(least), to_ms(grace_beyond_session)));
}

bool voice_turn_machine::reject_misplaced_start(const voice::start& m) {
    return reject_if(!m.session.empty() && m.session != setup_.session, "session",
                     "is not that of this socket; resume it on another socket") ||
           reject_if(m.last.has_value(), "last",
                     "is too late: this socket has the session; send heard") ||
           reject_other_model(m) ||
           reject_if(has_conversation_ && m.conversation != conversation_changes(), "conversation",
                     "is too late: the session already has its options") ||
           reject_short_grace(m) ||
           reject_if(!has_words(m), "text", "is missing, and so are messages and prompt");
}

/// On a fault, sends an error and returns nullopt.
std::optional<generation_options> voice_turn_machine::merge_options(
    const generation_changes& changes) {
    auto options = apply_changes(setup_.generation, changes);
    if (reject_faulty_options(check_changed(options, changes)) ||
        !resolve_adapters(changes, options))
        return std::nullopt;
    return options;
}

// The options of the session's first start apply to all of its turns. Invalid ones do not: only
// that start is rejected.
void voice_turn_machine::set_session_options(const generation_changes& first) {
    first_options_ = first.text;
    auto options = apply_changes(setup_.generation, first);
    options.context.clear();  // only for that turn
    if (check_changed(options, first).empty()) setup_.generation = std::move(options);
    const auto& lora = first.lora;
    if (setup_.adapters && std::holds_alternative<api_error>(setup_.adapters(lora))) return;
    setup_.lora = lora;
}

void voice_turn_machine::set_conversation_options(const conversation_changes& changes) {
    setup_.conversation = apply_changes(setup_.conversation, changes);
    auto& grace = setup_.conversation.resume_grace;
    grace = std::max(grace, find_least_grace(setup_.limits));
    if (changes.interrupted_mark) interrupted_mark_ = *changes.interrupted_mark;
}

void voice_turn_machine::handle(time_point now, voice::start m) {
    if (reject_misplaced_start(m)) return;
    if (!has_conversation_) set_conversation_options(m.conversation);
    start_turn(now, std::move(m));
}

void voice_turn_machine::handle(time_point now, voice::commit m) {
    handle(now, static_cast<voice::start&&>(m));
}

bool voice_turn_machine::has_user_turn_waiting() const {
    return std::ranges::any_of(waiting_, [](const waiting_turn& w) {
        return w.turn->is_requested_by_start() && !w.is_cancelled;
    });
}

bool voice_turn_machine::reject_turn_if_full() {
    if (is_closing()) {
        send_error(make_stopping_error());
        return true;
    }
    if (waiting_.size() < setup_.limits.waiting_turns) return false;
    send_error(
        make_error(429, "too_many_turns",
                   fmt::format("no more than {} can wait",
                               format_count(static_cast<std::int64_t>(waiting_.size()), "turn"))));
    return true;
}

void voice_turn_machine::start_turn(time_point now, voice::start m) {
    if (reject_turn_if_full()) return;
    auto options = merge_options(m.options);
    if (!options) return;
    const auto what = kind_of(m);
    if (m.text) m.messages.push_back({.role = "user", .content = std::move(*m.text)});
    if (what == kind::prompt) options->tools.clear();
    options->traceparent = std::move(m.traceparent);
    queue_turn(now,
               {.id = std::move(m.turn),
                .what = what,
                .messages = std::move(m.messages),
                .prompt = std::move(m.prompt).value_or(""),
                .needs_exact_draft = m.match == voice::word_match::exact,
                .options = *std::move(options),
                .asked_options = std::move(m.options.text),
                .filler = std::move(m.filler),
                .timeline = m.timeline,
                .user_stopped_ago = m.user_stopped_ago,
                .vad_stop = m.vad_stop},
               waiting_.end());
}

void voice_turn_machine::queue_turn(time_point now, voice_turn turn, queue::const_iterator place) {
    turn.number = ++last_number_;
    turn.asked_at = now;
    if (turn.what != kind::resume) turn.interrupted_mark = interrupted_mark_;
    waiting_turn waiting{.turn = std::make_shared<const voice_turn>(std::move(turn))};
    check_turn(waiting);
    waiting_.insert(place, std::move(waiting));
}

// All chunks up to this one were spoken. The reply counts their tokens as heard.
void voice_turn_machine::handle(time_point now, const voice::continued& m) {
    if (spoken_on_ || (reply_before_ && reply_before_->has(m.chunk))) report_heard_whole(m.chunk);
    if (last_words_ || (reply_ && reply_->filler.is_speaking))
        earlier_words_.on_heard_whole(m.chunk);
    if (spoken_on_ && m.chunk >= *spoken_on_) spoken_on_.reset();
    if (last_words_ && m.chunk >= *last_words_) {
        last_words_.reset();
        arm_filler(now);
    }
    if (!is_chunk_of_reply(m.chunk) || !reply_->is_speaking) return;
    if (reply_->is_filler(m.chunk)) return on_filler_spoken(now);
    const auto left = reply_->chunks - m.chunk.seq - 1;
    auto& unspoken = reply_->unspoken;
    if (left >= unspoken.size()) return;
    const auto spoken = unspoken.size() - left;
    for (; unspoken.size() > left; unspoken.erase(unspoken.begin()))
        reply_->heard_tokens = std::max(0.0, reply_->heard_tokens - unspoken.front().tokens);
    reply_->is_speaking = left > 0;
    reply_->spoken_since = now;
    actions_.push_back(voice_action::continue_after{reply_->to_library_id(m.chunk), spoken});
    request_next_chunk();
}

void voice_turn_machine::handle(time_point now, const voice::interrupt& m) {
    if (m.heard) handle(now, *m.heard);
    interrupt_last_words();
    drop_resume();
    cancel_waiting(waiting_.end());
    drop_calls(now);
    interrupt();
}

void voice_turn_machine::handle(time_point now, const voice::resume& m) {
    const bool is_replying = is_running() && !reply_->interrupted;
    const bool has_waiting = std::ranges::any_of(waiting_, [](const waiting_turn& w) {
        return w.turn->what != kind::messages && !w.is_cancelled;
    });
    if (is_replying || has_waiting)
        return send_error(
            make_error(409, "reply_running", "a reply is running; interrupt it first"));
    if (calls_.is_pending())
        return send_error(make_error(
            409, "reply_running", "functions are running; send their results, or interrupt first"));
    if (reply_ && reply_->turn->what == kind::prompt)
        return send_error(make_error(409, "nothing_to_resume",
                                     "the last turn had a raw prompt, which history does not keep; "
                                     "send a start with the prompt again"));
    if (!has_conversation_)
        return send_error(make_error(409, "nothing_to_resume", "no turn was interrupted"));
    drop_resume();
    if (!reject_turn_if_full()) queue_turn(now, make_resume(false, m.turn), waiting_.end());
}

// Does not interrupt the reply, because the user is not speaking.
void voice_turn_machine::handle(time_point now, voice::say m) {
    if (reject_turn_if_full()) return;
    auto options = merge_options({});
    if (!options) return;
    queue_turn(now,
               {.id = std::move(m.turn),
                .what = m.history ? kind::text : kind::aside,
                .text = std::move(m.text),
                .options = *std::move(options)},
               waiting_.end());
}

// Ignores these messages during a reply, so that clients need not know when it ends.
void voice_turn_machine::handle(time_point, voice::hearing m) {
    if (!has_conversation_ || is_busy() || is_closing()) return;
    actions_.push_back(voice_action::hear{std::move(m.text), m.stable});
}

void voice_turn_machine::handle(time_point, voice::draft m) {
    if (is_closing()) return send_error(make_stopping_error());
    if (!has_conversation_)
        return on_draft_skipped(
            m.turn,
            "the conversation has no messages yet; send one, such as a system prompt, in a start");
    if (is_busy()) return on_draft_skipped(m.turn, "a reply is running");
    auto options = merge_options(m.options);
    if (!options) return;
    voice_turn drafted{.id = std::move(m.turn), .options = *std::move(options)};
    drafted.messages.push_back({.role = "user", .content = std::move(m.text)});
    actions_.push_back(voice_action::draft{std::make_shared<const voice_turn>(std::move(drafted))});
}

void voice_turn_machine::on_draft_skipped(std::string_view turn, std::string_view reason) {
    if (!is_over()) send(encode_draft_skipped(turn, reason));
}

void voice_turn_machine::handle(time_point, voice::drop) {
    if (has_conversation_) actions_.push_back(voice_action::drop_draft{});
}

void voice_turn_machine::handle(time_point now, const voice::end&) {
    stage_ = stage::ending;
    drop_calls(now);
    interrupt();
    end_waiting_turns(nullptr);
}

}  // namespace tandem::gateway

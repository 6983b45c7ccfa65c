#pragma once

#include "base/time.hpp"
#include "gateway/telemetry/voice_timing.hpp"
#include "gateway/voice/voice_close.hpp"
#include "gateway/voice/voice_open_calls.hpp"
#include "gateway/voice/voice_option_changes.hpp"

#include "tandem/chunk.hpp"
#include "tandem/config.hpp"
#include "tandem/conversation_options.hpp"
#include "tandem/server.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tandem::gateway {

/// Identifies a socket. The code that performs the session's actions assigns it.
using voice_socket = std::uint64_t;

/// The turn that a client requests with a `start`, `resume` or `say`.
struct voice_turn {
    enum class kind {
        messages,  ///< only add to the history, as the last message is not from a user or a tool
        reply,     ///< add to the history and reply
        prompt,    ///< a raw prompt, outside of the history
        resume,    ///< continue an interrupted reply
        text,      ///< speak a given text, which the history keeps
        aside,     ///< speak a given text outside of the history
    };
    /// Number of the turn's reply in the session, as in messages to the client.
    std::uint64_t number = 0;
    /// The client's id of the turn; empty if the turn has none.
    std::string id{};
    kind what = kind::reply;
    /// Results of functions that replies of the session called.
    std::vector<call_result> results{};
    /// Ends with the user's message.
    std::vector<chat_message> messages{};
    std::string prompt{};
    /// The given text.
    std::string text{};
    /// The mark that the model reads after interrupted turns; empty if the client did not choose
    /// one.
    std::string interrupted_mark{};
    /// Whether the resumed reply has called functions, so that another reply of the turn follows.
    bool has_called = false;
    /// Whether a draft may be used only if its message is exactly that of the turn.
    bool needs_exact_draft = false;
    /// Merged from the options of the service, of the session's first start, and of this start.
    generation_options options{};
    /// The options in the turn's start, as JSON; empty = none.
    std::string asked_options{};
    std::optional<voice_filler> filler{};
    bool timeline = false;
    time_point asked_at{};
    std::optional<duration> user_stopped_ago{};
    std::optional<duration> vad_stop{};

    /// False for a resumed reply, and for a reply to results of functions.
    bool is_requested_by_start() const noexcept {
        return what == kind::prompt || (what == kind::reply && !messages.empty());
    }
    /// Whether this continues an earlier turn: a resumed reply, or a reply after calls.
    bool is_continuation() const noexcept { return what == kind::resume || follows_calls(); }
    bool follows_calls() const noexcept { return what == kind::reply && messages.empty(); }
    bool is_given_text() const noexcept { return what == kind::text || what == kind::aside; }
    bool is_outside_history() const noexcept { return what == kind::prompt || what == kind::aside; }
};
using voice_turn_ptr = std::shared_ptr<const voice_turn>;

}  // namespace tandem::gateway

// Actions of a voice session, to be performed in order. Asynchronous calls need not complete before
// the next action.
namespace tandem::gateway::voice_action {

struct send {
    voice_socket socket;
    std::string text;
};
/// Closes the socket once all earlier messages have been sent. The session has already released the
/// socket, so do not call on_socket_lost() for it.
struct close {
    voice_socket socket;
    voice_close why;
};

/// Checks whether the session's key may have this turn: rate limits, prompt policy. Call
/// on_turn_permitted() or on_turn_refused(), now or later. Until then, no server receives any part
/// of the turn, except words of `hear` and `draft`. If the session has no socket while the turn
/// waits, the turn loses its permission and is checked again.
struct check_turn {
    voice_turn_ptr turn;
    /// Whether the turn was already checked once, before the session lost its socket.
    bool is_again = false;
};

/// Creates the session's conversation, with the messages in `options`.
struct open_conversation {
    conversation_options options;
};
/// Loads the conversation from the text of conversation::async_save(). `options` are the options of
/// the conversation's open turn.
struct load_conversation {
    std::string text;
    generation_options options;
};
/// Prefills a slot: conversation::warm().
struct warm {
    generation_options options;
};
/// conversation::hearing().
struct hear {
    std::string text;
    std::optional<std::size_t> stable;
};
/// Checks whether the session's key may have this turn, and calls conversation::async_draft() with
/// its message and options. Call on_draft_skipped() if the check or the draft fails, unless the
/// draft was dropped.
struct draft {
    voice_turn_ptr turn;
};
/// conversation::drop_draft().
struct drop_draft {
    std::string unless{};
};
/// conversation::append().
struct append {
    chat_message message;
};
/// conversation::answer_call(), or answer_call_later() if the result is not final.
struct answer_call {
    call_result result;
};
/// conversation::add_filler().
struct add_filler {
    std::string text;
};

// Each of these actions begins a reply; the previous one has ended. Report the reply's events with
// its number.

/// conversation::generate() with the turn's options.
struct generate {
    voice_turn_ptr turn;
};
/// Starts a reply to the turn's raw prompt, outside of the session's conversation.
struct generate_raw {
    voice_turn_ptr turn;
};
/// conversation::resume().
struct resume {
    voice_turn_ptr turn;
    std::optional<chunk_id> speaking{};
};

/// conversation::say_text() with the turn's text and options.
struct say_text {
    voice_turn_ptr turn;
};
/// conversation::say_aside() with the turn's text and options.
struct say_aside {
    voice_turn_ptr turn;
};

/// Waits for the functions that the reply calls. Then call on_calls(), even if there are none.
struct await_calls {
    std::uint64_t number;
};

/// Requests the reply's next chunk. Call on_chunk(), or on_reply_ended() with reply::result() if
/// there is no further chunk. At most one request is pending.
struct next_chunk {
    std::uint64_t number;
};
/// reply::continue_after(), possibly for a reply that has ended.
struct continue_after {
    chunk_id id;
    /// Number of chunks that were spoken since the last continue, including this chunk.
    std::size_t chunks = 1;
};
/// reply::speaks_until(), possibly for a reply that has ended.
struct speaks_until {
    chunk_id id;
    duration rest;
};
/// conversation::heard(), or heard_share() if `share` is set.
struct heard {
    chunk_id id;
    std::uint64_t chars = 0;
    std::optional<double> share{};
};
/// conversation::interrupt(); reply::interrupt() for a reply outside of the history.
struct interrupt {
    bool is_outside_history = false;
};

/// Metrics of an ended reply: the time from the turn's request to its first chunk, and, if the
/// client reports when the user stopped speaking, the parts of the silence.
struct first_chunk {
    duration since_asked;
    std::optional<voice_timing> timing{};
};

/// The session has lost its socket: call voice_session_table::keep_without_socket().
struct keep {};
/// The session has ended; this is always the last action. Call voice_session_table::forget(), and
/// release the session, its reply and its conversation.
struct forget {
    /// Whether another gateway continues the session.
    bool is_moved = false;
};

using any = std::variant<send, close, check_turn, open_conversation, warm, hear, draft, drop_draft,
                         append, answer_call, add_filler, generate, generate_raw, resume, say_text,
                         say_aside, await_calls, next_chunk, continue_after, speaks_until, heard,
                         interrupt, first_chunk, keep, forget, load_conversation>;

}  // namespace tandem::gateway::voice_action

#pragma once

#include "base/time.hpp"
#include "gateway/telemetry/voice_timing.hpp"
#include "gateway/voice/voice_line.hpp"

#include "tandem/chunk.hpp"
#include "tandem/config.hpp"
#include "tandem/conversation_options.hpp"
#include "tandem/server.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tandem::gateway {

/// Names a socket, by whoever drives a session.
using voice_socket = std::uint64_t;

/// What a client asks for with one `start` or `resume`.
struct voice_turn {
    enum class kind {
        messages,  ///< to add to the history alone: the last word is not the user's or a tool's
        reply,     ///< to add, and to answer
        prompt,    ///< a raw prompt, which no history knows of
        resume,    ///< to speak on
    };
    /// Number of its reply in the session, as clients see it.
    std::uint64_t number = 0;
    /// The client's own id of it; empty if it has none.
    std::string id{};
    kind what = kind::reply;
    /// What the user says is the last of them.
    std::vector<chat_message> messages{};
    std::string prompt{};
    /// What the client wants after its interrupted turns, for the model to read; empty if that is
    /// not its own choice.
    std::string interrupted_mark{};
    /// As the service, the session's first start and this one say.
    generation_options options{};
    bool timeline = false;
    time_point asked_at{};
    std::optional<duration> user_stopped_ago{};
    std::optional<duration> vad_stop{};
};
using voice_turn_ptr = std::shared_ptr<const voice_turn>;

}  // namespace tandem::gateway

// What a voice session wants done, in order. Calls of the library do not need to have ended before
// the next action.
namespace tandem::gateway::voice_action {

/// Write the text to the socket.
struct send {
    voice_socket socket;
    std::string text;
};
/// Close it after what was sent to it. The session knows it no more, and dropped() needs not be
/// told.
struct close {
    voice_socket socket;
    voice_close why;
};

/// See whether the session's key may have this turn: rate, priority, policy of prompts. Tell
/// permitted() or refused(), at once or later; nothing of the turn goes to a server before.
struct check_turn {
    voice_turn_ptr turn;
};

/// Make the session's conversation, with the messages of the options.
struct open_conversation {
    conversation_options options;
};
/// Prefill a slot for it: conversation::warm().
struct warm {};
/// conversation::append().
struct append {
    chat_message message;
};

// Each of these replaces the reply before, which has ended. Tell of the new one by its number.

/// conversation::generate() with the turn's options.
struct generate {
    voice_turn_ptr turn;
};
/// client::start() with the turn's prompt and options.
struct generate_raw {
    voice_turn_ptr turn;
};
/// conversation::resume().
struct resume {
    std::uint64_t number;
};

/// Request the reply's next chunk, and call chunk_came(); or reply_ended(), with reply::result(),
/// if there is none. Never asked for twice at once.
struct next_chunk {
    std::uint64_t number;
};
/// reply::continue_after(), also after the reply's end.
struct continue_after {
    chunk_id id;
};
/// conversation::heard(), or heard_share() if `share` is set.
struct heard {
    chunk_id id;
    std::uint64_t chars = 0;
    std::optional<double> share{};
};
/// conversation::interrupt(), or reply::interrupt() of a raw one.
struct interrupt {
    bool is_raw = false;
};

/// For the metrics, when the reply has ended: its first chunk was sent so long after the turn was
/// asked for; and the silence before it, if the client reports when the user stopped speaking.
struct first_chunk {
    duration since_asked;
    std::optional<voice_timing> timing{};
};

/// The session has no socket: voice_sessions::keep().
struct keep {};
/// The session is over, always the last action: voice_sessions::forget(), and let go of it, its
/// reply and its conversation.
struct forget {};

using any =
    std::variant<send, close, check_turn, open_conversation, warm, append, generate, generate_raw,
                 resume, next_chunk, continue_after, heard, interrupt, first_chunk, keep, forget>;

}  // namespace tandem::gateway::voice_action

#pragma once

#include "chat/function_result.hpp"
#include "chat/spoken_timing.hpp"
#include "run/replay_events.hpp"

#include "tandem/chunk.hpp"
#include "tandem/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tandem::command {

/// The number of a turn, and of a reply within the turn; both count from 0. A turn has more than
/// one reply if the model calls functions: a reply to the results follows.
struct spoken_reply_number {
    int turn = 0;
    int reply = 0;
};

/// A chunk at the start of its playback.
struct spoken_chunk {
    spoken_reply_number where{};
    const tandem::chunk& chunk;
    /// Relative to the start of the chat.
    duration at{};
    /// Length of the sound, or an estimate from the text if there is none.
    duration length{};
    /// Time from the chunk's arrival until its sound was ready.
    duration synthesis{};
    /// Silence since the previous sound ended; unset for the first sound of a turn.
    std::optional<duration> silence{};
    bool has_sound = false;
};

/// A reply that has ended, successfully or not.
struct spoken_reply_end {
    spoken_reply_number where{};
    const reply_result& result;
    /// Whether the listener interrupted the reply, which may already have been fully generated.
    bool interrupted = false;
    /// The part of the reply that stays in the history.
    std::string kept{};
    /// Unset if nothing was spoken.
    std::optional<spoken_timing> timing{};
    /// Advice of this program in addition to the library's message; usually empty.
    std::string hint{};
};

/// Receives the events of a chat.
class chat_view {
 public:
    virtual ~chat_view() = default;

    /// The chat waits for the user's input.
    virtual void on_listening() = 0;
    /// The chat starts to answer this line.
    virtual void on_line_accepted(std::string_view line) = 0;
    virtual void on_input_ended() = 0;
    virtual void on_chunk_started(const spoken_chunk& c) = 0;
    /// The chunk has nothing to speak.
    virtual void on_chunk_skipped(const spoken_chunk& c) = 0;
    virtual void on_reply_ended(const spoken_reply_end& e) = 0;
    /// A function called by the reply has ended. This event follows the end of the reply.
    virtual void on_function_ended(spoken_reply_number where, const function_result& r) = 0;
    virtual void on_server_failed(const fault_event& e) = 0;
    /// show_note() reports information for the user; show_error() reports an error.
    virtual void show_note(std::string_view text) = 0;
    virtual void show_error(std::string_view text) = 0;
};

}  // namespace tandem::command

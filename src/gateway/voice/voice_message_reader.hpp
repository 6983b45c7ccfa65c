#pragma once

#include "base/enum_names.hpp"
#include "gateway/json/api_error.hpp"
#include "gateway/voice/client_chunk_id.hpp"
#include "gateway/voice/voice_option_changes.hpp"

#include "tandem/duration.hpp"
#include "tandem/server.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// Messages of a client of the voice WebSocket. docs/voice-websocket.md describes them for people,
// docs/voice.asyncapi.yaml for programs; voice_fields.hpp contains the field names.
namespace tandem::gateway {

namespace voice {

/// How far the listener heard a chunk: in characters (Unicode code points) or words of its speech,
/// as a share of the speech, or up to the end of the words `said`. Exactly one of these is set.
struct heard {
    client_chunk_id chunk{};
    std::optional<std::uint64_t> chars{};
    std::optional<double> share{};
    std::optional<std::uint64_t> words{};
    std::optional<std::string> said{};
};

/// The last words that the listener heard before the connection was lost.
struct last_heard : heard {
    /// The voice speaks the chunk to its end, so no position is required.
    bool speaking = false;
    /// The reply's text up to the end of the chunk. Another gateway that takes the session needs
    /// this text if the chunk was not recorded.
    std::string text{};
};

/// When a turn may use a draft.
enum class word_match {
    words,  ///< if the words are the same
    exact,  ///< if the text is the same
};
constexpr std::string_view to_string(word_match m) noexcept {
    return find_enum_name({"words", "exact"}, m);
}

/// Opens or resumes a session, or starts its next turn.
struct start {
    /// The client's id of the turn; messages about the turn repeat the id. Empty = none.
    std::string turn{};
    /// The session to resume; empty = a new session, or the socket's session.
    std::string session{};
    /// Only with `session`.
    std::optional<last_heard> last{};
    /// Messages to append to the history; in a first start, the system prompt and the previous
    /// history.
    std::vector<chat_message> messages{};
    /// The user's message, appended after `messages`.
    std::optional<std::string> text{};
    /// A raw prompt instead of `messages` and `text`.
    std::optional<std::string> prompt{};
    generation_changes options{};
    /// Only in the start that opens a session.
    conversation_changes conversation{};
    std::string model{};
    std::optional<voice_filler> filler{};
    /// How long ago the user stopped speaking, and how much of that time the voice detector took.
    std::optional<duration> user_stopped_ago{};
    std::optional<duration> vad_stop{};
    /// Whether the reply's `end` contains its timeline.
    bool timeline = false;
    /// W3C traceparent of the turn; empty = that of the socket.
    std::string traceparent{};
    /// Set only in a commit; a start uses a draft if the words are the same.
    word_match match = word_match::words;
};

/// The chunk was played.
struct continued {
    client_chunk_id chunk{};
};

/// The voice speaks the chunk, and needs this long for the rest of it.
struct speaking {
    client_chunk_id chunk{};
    duration ends_in{};
};

/// The user interrupts the reply (barge-in).
struct interrupt {
    std::optional<voice::heard> heard{};
};

/// The interruption was a false alarm.
struct resume {
    /// Same as in a start.
    std::string turn{};
};

/// The result of a function that a reply called.
struct result {
    /// The id of the call.
    std::string call{};
    /// The result as the model reads it; nullopt if `later`.
    std::optional<std::string> content{};
    /// Whether the result follows later.
    bool later = false;
    /// Whether to accept the result even if the call was dropped.
    bool keep = false;
};

/// A text to speak as a reply.
struct say {
    /// Same as in a start.
    std::string turn{};
    std::string text{};
    /// Whether history keeps what the listener heard.
    bool history = true;
};

/// What the user has said so far, while the user speaks.
struct hearing {
    std::string text{};
    /// Number of characters at the beginning that will not change.
    std::optional<std::uint64_t> stable{};
};

/// What the user has probably said, before that is certain.
struct draft {
    /// Same as in a start.
    std::string turn{};
    std::string text{};
    /// The options of the start that is to commit the draft.
    generation_changes options{};
};

/// A start with a text. `match` says when the turn may use a draft.
struct commit : start {};

/// Drops the draft.
struct drop {};

/// Ends the session.
struct end {};

}  // namespace voice

using voice_message =
    std::variant<voice::start, voice::continued, voice::speaking, voice::heard, voice::interrupt,
                 voice::resume, voice::result, voice::say, voice::hearing, voice::draft,
                 voice::commit, voice::drop, voice::end>;

/// The ids in a message, which an error about that message repeats. Empty if the message has none.
struct voice_message_ids {
    /// The client's id of the turn.
    std::string turn{};
    /// The id of the call that the message answers.
    std::string call{};
};
voice_message_ids get_ids(const voice_message& message);

/// Why a message is rejected.
struct voice_message_error : api_error {
    /// The ids that could be read.
    voice_message_ids ids{};
};

/// Parses a message, whose size the caller limits. Ignores unknown fields, and treats null as
/// absent. Rejects JSON that is invalid or too complex (`invalid_json`), an unknown type
/// (`unknown_type`), and a field that appears twice or whose value has a wrong type or range
/// (`invalid_value`, with the field's path, as in "messages[0].role"). Accepted messages are valid
/// UTF-8 and pass the library's checks of options and messages, but the options of two starts may
/// still conflict. Throws only std::bad_alloc.
std::variant<voice_message, voice_message_error> parse_voice_message(std::string_view text);

}  // namespace tandem::gateway

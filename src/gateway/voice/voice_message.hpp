#pragma once

#include "gateway/adapters/adapter_set.hpp"
#include "gateway/json/api_error.hpp"

#include "tandem/config.hpp"
#include "tandem/conversation_options.hpp"
#include "tandem/duration.hpp"
#include "tandem/server.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// What a client of the voice WebSocket says. docs/voice-websocket.md has it for people, and
// docs/voice.asyncapi.yaml for programs; voice_fields.hpp has the names on the wire.
namespace tandem::gateway {

/// The version that this build speaks: the WebSocket's subprotocol.
inline constexpr std::string_view voice_protocol = "tandem.voice.v1";

/// Whether a `Sec-WebSocket-Protocol` header offers it. A request without the header may be taken
/// for one that does; one that offers others alone is of a client that does not speak it.
bool offers_voice_protocol(std::string_view header) noexcept;

/// A chunk as clients name it: the reply's number in its session, and the chunk's place in it. The
/// library's own ids are no business of theirs. On the wire it is a text such as "12-3", which no
/// language takes for a number that it has to round.
struct chunk_name {
    std::uint64_t reply = 0;
    std::uint32_t seq = 0;

    friend auto operator<=>(const chunk_name&, const chunk_name&) = default;
};
std::string to_string(const chunk_name& name);
/// Nothing if no gateway writes that.
std::optional<chunk_name> read_chunk_name(std::string_view text);

/// Fields of generation options that a client gives, by their names; the others stay as they are.
struct generation_changes {
    generation_options values{};
    std::vector<std::string_view> given{};
    /// By the gateway's names of them: what they are to the server it must be asked. Nothing: not
    /// given.
    std::optional<std::vector<asked_adapter>> lora{};
};
generation_options changed(generation_options base, const generation_changes& changes);

/// The same of a conversation's options.
struct conversation_changes {
    std::optional<history_policy> interrupted{};
    std::optional<std::string> interrupted_mark{};
    std::optional<duration> resume_grace{};
    std::optional<int> reply_reserve{};
    std::optional<double> trim_slack{};
    std::optional<bool> isolate{};

    friend bool operator==(const conversation_changes&, const conversation_changes&) = default;
};
conversation_options changed(conversation_options base, const conversation_changes& changes);

namespace voice {

/// Begins a session, takes one up, or begins its next turn.
struct start {
    /// The client's own id of the turn, which what comes of it has, too; empty = none.
    std::string turn{};
    /// The session to take up; empty = a new one, or that of the socket.
    std::string session{};
    /// What was said so far: at first the system prompt and history.
    std::vector<chat_message> messages{};
    /// What the user says now, after the messages.
    std::optional<std::string> text{};
    /// In place of both: a raw prompt.
    std::optional<std::string> prompt{};
    generation_changes options{};
    /// Of the start that begins a session alone.
    conversation_changes conversation{};
    std::string model{};
    /// How long ago the user stopped speaking, and how long the voice detector waited before it
    /// said so, which is part of that.
    std::optional<duration> user_stopped_ago{};
    std::optional<duration> vad_stop{};
    /// The end of this turn's reply is to have its time line.
    bool timeline = false;
};

/// The chunk was spoken.
struct continued {
    chunk_name chunk{};
};

/// How far the listener got into a chunk: characters (Unicode code points) of its speech, or a
/// share of it; one of them is set.
struct heard {
    chunk_name chunk{};
    std::optional<std::uint64_t> chars{};
    std::optional<double> share{};
};

/// Barge-in.
struct interrupt {
    std::optional<voice::heard> heard{};
};

/// It was none.
struct resume {
    /// As that of a start.
    std::string turn{};
};

/// The session is over.
struct end {};

}  // namespace voice

using voice_message = std::variant<voice::start, voice::continued, voice::heard, voice::interrupt,
                                   voice::resume, voice::end>;

/// The turn that the message names; empty if there is none.
std::string turn_of(const voice_message& message);

/// Why a message is refused.
struct voice_fault : api_error {
    /// The turn that the message names, if that can be read.
    std::string turn{};
};

/// Reads a message. Fields that are not known are ignored, and null is as good as no field; an
/// unknown type is refused (`unknown_type`), as is what is no JSON, nested too deep or has too many
/// values (`invalid_json`), larger than `most_bytes` (`message_too_large`), or has a value of the
/// wrong type or range (`invalid_value`), with the path of the field as in "messages[0].role". What
/// passes is valid UTF-8, and the library's checks of options and messages find no fault in it;
/// only that options of two starts may not go together. Throws for lack of memory alone.
std::variant<voice_message, voice_fault> read_voice_message(std::string_view text,
                                                            std::size_t most_bytes);

}  // namespace tandem::gateway

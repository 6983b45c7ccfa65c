#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tandem::gateway {

/// A chunk that was sent, and that the client has not confirmed with a `continue` yet.
struct recorded_chunk {
    std::string speech{};
    int tokens = 0;
    /// Whether the reply's text has a space before the chunk. Not part of the record.
    bool is_spaced = false;

    friend bool operator==(const recorded_chunk&, const recorded_chunk&) = default;
};

/// A reply of a session, recorded because the client may still refer to its chunks.
struct recorded_reply {
    std::uint64_t number = 0;
    /// The client's id of the reply's turn.
    std::string turn{};
    /// The library's number of the reply.
    std::uint64_t id = 0;
    std::uint32_t chunks = 0;
    std::string filler{};
    /// All text that was sent.
    std::string text{};
    std::vector<recorded_chunk> unspoken{};
    bool is_outside_history = false;
    bool is_ended = false;

    friend bool operator==(const recorded_reply&, const recorded_reply&) = default;
};

/// The last turn.
struct recorded_turn {
    std::uint64_t number = 0;
    std::string id{};
    /// The turn's options as the client sent them, in JSON; empty = none.
    std::string options{};
    bool timeline = false;
    bool has_called = false;

    friend bool operator==(const recorded_turn&, const recorded_turn&) = default;
};

/// The user's words in a turn.
struct recorded_question {
    /// The client's id of the turn.
    std::string turn{};
    std::string text{};

    friend bool operator==(const recorded_question&, const recorded_question&) = default;
};

/// A message that could not be sent yet, about the end of a reply or of a call.
struct recorded_end {
    std::string text{};
    std::string turn{};

    friend bool operator==(const recorded_end&, const recorded_end&) = default;
};

/// A function call whose result may still arrive, for use in the next turn.
struct late_call {
    std::string id{};
    /// If true, the result is accepted only if the client asks to keep it.
    bool is_dropped = false;

    friend bool operator==(const late_call&, const late_call&) = default;
};

/// The state from which another gateway can resume a voice session.
struct session_record {
    std::string model{};
    std::string asked_model{};
    /// The options of the session's first start, as JSON; empty = none.
    std::string options{};
    std::string interrupted_mark{};
    std::uint64_t last_number = 0;
    /// The text from conversation::async_save(); empty = there is no conversation yet.
    std::string conversation{};
    std::optional<recorded_turn> turn{};
    /// The user's last turn, as long as nothing has been said in reply.
    std::optional<recorded_question> unanswered{};
    std::optional<recorded_reply> reply{};
    /// The previous reply, whose last chunk may still be spoken.
    std::optional<recorded_reply> reply_before{};
    /// Whether the reply of the last turn is unfinished.
    bool resumes = false;
    std::vector<recorded_end> ends{};
    /// The oldest first.
    std::vector<late_call> late_calls{};

    friend bool operator==(const session_record&, const session_record&) = default;
};

/// The record as JSON, version 1.
std::string encode_record(session_record r);

/// Parses the text of a record. Checks types and bounds, but not the content of the options or of
/// the conversation. Returns the first fault, with the path of its field. Throws only
/// std::bad_alloc.
std::variant<session_record, std::string> parse_record(std::string_view text);

/// Longer records are not kept.
inline constexpr std::size_t max_record_bytes = std::size_t{4} << 20;

}  // namespace tandem::gateway

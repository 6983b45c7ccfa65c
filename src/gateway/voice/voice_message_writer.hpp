#pragma once

#include "gateway/json/api_error.hpp"
#include "gateway/telemetry/voice_timing.hpp"
#include "gateway/voice/voice_limits.hpp"

#include "tandem/chunk.hpp"
#include "tandem/duration.hpp"
#include "tandem/result.hpp"
#include "tandem/server.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Messages to a client of the voice WebSocket, as JSON text. Invalid UTF-8 is replaced. Functions
// throw only std::bad_alloc.
namespace tandem::gateway {

/// The first message on a socket.
struct voice_ready {
    std::string session{};
    /// Name of the model; empty = not reported.
    std::string model{};
    /// Whether an existing session was resumed.
    bool resumed = false;
    /// In a resumed session, the client's ids of the turns whose replies have not ended, one per
    /// reply.
    std::vector<std::string> turns{};
    voice_limits limits{};
    /// Settings of the session's conversation and of its replies.
    duration resume_grace{};
    duration continue_timeout{};
};
std::string encode_ready(const voice_ready& r);

/// `reply` is the reply's number in the session, and `turn` the client's id of the turn, or empty.
/// The functions and structs below use both names in this sense.
std::string encode_chunk(std::uint64_t reply, std::string_view turn, const chunk& c,
                         bool is_filler = false);

/// A function that the reply called. `after` is the last chunk of the text before it; nullopt if
/// there is none.
struct voice_call {
    std::uint64_t reply = 0;
    std::string_view turn{};
    const tool_call& call;
    std::optional<std::uint32_t> after{};
};
std::string encode_call(const voice_call& c);

/// Why a call's result is no longer accepted.
enum class call_drop_reason {
    interrupted,
    timeout,
};
struct voice_dropped_call {
    std::uint64_t reply = 0;
    std::string_view turn{};
    std::string_view call{};
    call_drop_reason why = call_drop_reason::interrupted;
    /// The time limit for its result.
    duration timeout{};
};
std::string encode_call_dropped(const voice_dropped_call& c);

/// No draft was started for the client's turn; `reason` says why.
std::string encode_draft_skipped(std::string_view turn, std::string_view reason);

/// The end of a reply, as its session saw it.
struct voice_end {
    std::uint64_t reply = 0;
    std::string_view turn{};
    /// The library's result. If the reply failed, encode_end() makes an `error` message that names
    /// the reply.
    const reply_result& result;
    /// How many bytes of the text were sent. The rest was dropped.
    std::size_t sent_bytes = 0;
    /// If the last chunk has no continue: how many of its tokens were heard.
    int heard_tokens = 0;
    /// The silence before the first chunk, if known.
    std::optional<voice_timing> silence{};
    /// Whether to include the timeline.
    bool timeline = false;
};
std::string encode_end(const voice_end& e);

/// An error other than the failure of a reply that has begun.
struct voice_error {
    api_error why{};
    /// The reply that this error ends.
    std::optional<std::uint64_t> reply{};
    /// The client's turn id of that reply, or of the rejected message.
    std::string turn{};
    /// The id of the call whose result the error rejects.
    std::string call{};
    /// Whether the socket is closed afterwards.
    bool fatal = false;
};
std::string encode_error(const voice_error& e);

}  // namespace tandem::gateway

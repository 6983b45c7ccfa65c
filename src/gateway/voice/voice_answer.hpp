#pragma once

#include "gateway/json/api_error.hpp"
#include "gateway/telemetry/voice_timing.hpp"
#include "gateway/voice/voice_limits.hpp"

#include "tandem/chunk.hpp"
#include "tandem/duration.hpp"
#include "tandem/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// What the gateway says on the voice WebSocket, as JSON text. Bytes that are not UTF-8 are
// replaced. Functions throw for lack of memory alone.
namespace tandem::gateway {

/// The first answer on a socket.
struct voice_ready {
    std::string session{};
    /// Which model speaks; empty = not reported.
    std::string model{};
    /// The session was taken up; else it is new.
    bool resumed = false;
    voice_limits limits{};
    /// Of the session's conversation, and of its replies.
    duration resume_grace{};
    duration continue_timeout{};
};
std::string ready_text(const voice_ready& r);

/// `reply` is its number in the session, and `turn` what the client calls it, empty if it does not,
/// here and below.
std::string chunk_text(std::uint64_t reply, std::string_view turn, const chunk& c);

/// How a reply ended, as its session saw it.
struct voice_end {
    std::uint64_t reply = 0;
    std::string_view turn{};
    /// The library's; as `error` for one that failed, which an error reports that names it.
    const reply_result& result;
    /// So much of its text was sent, in bytes; the rest came too late.
    std::size_t sent_bytes = 0;
    /// Tokens that were heard of its last chunk, where no continue came for that.
    int heard_tokens = 0;
    /// The silence before the first chunk, where that is known.
    std::optional<voice_timing> silence{};
    /// With the time line.
    bool timeline = false;
};
std::string end_text(const voice_end& e);

/// An error that is no reply's end, or that of one which never began.
struct voice_error {
    api_error why{};
    /// The reply that this ends.
    std::optional<std::uint64_t> reply{};
    /// Of that, or of the message that is refused.
    std::string turn{};
    /// The socket is closed after it.
    bool fatal = false;
};
std::string error_text(const voice_error& e);

}  // namespace tandem::gateway

#pragma once

#include "base/time.hpp"
#include "gateway/traces/span_context.hpp"

#include "tandem/result.hpp"
#include "tandem/server.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tandem::gateway {

/// The data of a reply in a trace.
struct traced_reply {
    time_point began{};
    finish_reason reason = finish_reason::error;
    /// The name of the error; empty if there was no error.
    std::string error{};
    std::vector<request_figures> requests{};
    std::vector<timeline_event> timeline{};
    /// URLs.
    std::vector<std::string> servers{};
    /// The called functions, with their arguments only if the traces include texts.
    std::vector<tool_call> calls{};
    /// Whether the client got chunks as they were completed. Otherwise, traces show only the first
    /// chunk.
    bool by_chunk = true;
};

/// The data of one turn: a reply over the voice WebSocket, or an HTTP request for a reply.
struct traced_turn {
    span_context context{};
    std::string name{};
    /// The id of the request, or of the WebSocket's upgrade request, as in the log.
    std::string request_id{};
    std::string model{};
    time_point began{};
    time_point ended{};
    std::chrono::system_clock::time_point ended_wall{};
    std::optional<traced_reply> reply{};

    // Set only for HTTP requests.
    std::string method{};
    std::string route{};
    int status = 0;
    /// Code of the error response; empty if there was no error.
    std::string error{};

    // Set only for turns over the WebSocket.
    /// The client's id of the turn.
    std::string turn{};
    /// Whether the voice speaks a given text, which no server generates.
    bool is_given_text = false;
    std::optional<time_point> first_chunk_at{};
    std::optional<time_point> called_at{};
    std::optional<time_point> interrupted_at{};
    std::optional<duration> user_stopped_ago{};
    std::optional<duration> vad_stop{};

    // Set only if the traces include texts.
    std::vector<chat_message> input{};
    std::string output{};
};

/// Adds the data of a reply that has ended.
void add_reply(traced_turn& turn, time_point now, const reply_result& result, bool by_chunk,
               bool with_texts);

/// Longest text of a message in a trace; the rest is cut off.
inline constexpr std::size_t max_traced_text_bytes = std::size_t{16} << 10;
/// Maximum number of a prompt's messages in a trace. The trace keeps the newest messages.
inline constexpr std::size_t max_traced_messages = 32;

/// Adds messages of the prompt, within the limits above.
void add_input_messages(traced_turn& turn, const std::vector<chat_message>& messages);

/// Memory that the turn occupies.
std::size_t estimate_bytes(const traced_turn& turn) noexcept;

}  // namespace tandem::gateway

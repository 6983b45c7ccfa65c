#pragma once

#include <boost/system/error_code.hpp>

#include <string>
#include <type_traits>

namespace tandem {
inline namespace v0 {

/// Boost's error code; `errc` lists the library's own.
using error_code = boost::system::error_code;

/// Errors of the category `tandem`. docs/failures.md lists the cause and remedy of each error.
enum class errc {
    /// A field of the configuration has an invalid value.
    invalid_config = 1,
    /// The prompt is empty, not valid UTF-8, or too large.
    invalid_prompt,
    /// The URL's host name has no address.
    resolve_failed,
    /// Nothing listens at the URL, or the connection failed before it was established.
    connect_failed,
    /// The TLS handshake or the check of the certificate failed.
    tls_failed,
    /// No connection within `connect_timeout`.
    connect_timeout,
    /// No first token within `first_token_timeout`, which includes queueing and prompt evaluation.
    first_token_timeout,
    /// No further token within `between_tokens_timeout`.
    between_tokens_timeout,
    /// The consumer did not continue a chunk within `continue_timeout`.
    continue_timeout,
    /// A request other than /completion took longer than `request_timeout`.
    request_timeout,
    /// The connection closed before the answer was complete.
    stream_incomplete,
    /// The server refused the API key (HTTP 401 or 403).
    unauthorized,
    /// The server is still loading its model (HTTP 503).
    model_loading,
    /// The prompt has at least as many tokens as the context of a slot.
    prompt_too_long,
    /// The server refused the request (HTTP 400), or the name of a slot file is invalid.
    bad_request,
    /// The server lacks this endpoint, or has disabled it (HTTP 404, 501).
    not_supported,
    /// The server failed during the request (HTTP 5xx, or an error in the stream).
    server_error,
    /// The answer is not what a llama-server sends.
    bad_response,
    /// The answer exceeds its bound.
    response_too_large,
    /// Another operation of this kind is outstanding.
    operation_in_progress,
    /// The client or service was destroyed during the operation.
    client_destroyed,
    /// `queue_limit` replies are waiting for a slot.
    queue_full,
    /// No slot became free within `queue_timeout`.
    queue_timeout,
    /// None of the service's servers is up with its model loaded, or the service has no servers.
    no_model,
    /// The conversation has ended, or belongs to another service.
    session_not_found,
    /// A conversation's prompt could not be rendered or counted.
    tokenize_failed,
    /// The conversation's server was removed during its reply.
    server_gone,
    /// No turn was interrupted within `resume_grace`, or the next turn has begun.
    nothing_to_resume,
    /// No slot holds the conversation.
    nothing_to_save,
    /// The reply did not end within `reply_timeout`.
    reply_timeout,
    /// The last requests to the server failed, so no requests are sent to it for a while.
    circuit_open,
    /// The io_context of a channel's reply was stopped or destroyed, or ran out of work.
    context_stopped,
    /// The channel already has a reply, or is listed twice.
    channel_in_use,
    /// The channel has finished, or was cancelled.
    channel_finished,
    /// The number of channels differs from the number of replies, or a reply was moved from.
    channel_mismatch,
    /// An exception was thrown while the channel received a chunk.
    channel_failed,
    /// The model began a tool call that the server cannot parse.
    invalid_tool_call,
    /// No draft was begun; see conversation::async_draft().
    draft_skipped,
};

/// The category of `errc`.
const boost::system::error_category& error_category() noexcept;

/// Converts an `errc` to an error_code.
inline error_code make_error_code(errc e) noexcept {
    return {static_cast<int>(e), error_category()};
}

/// The name of an error for programs, such as "stream_incomplete". For an error of another
/// category, its message.
std::string error_name(const error_code& ec);

/// True if the same request may succeed later, on this or another server.
bool is_retryable(const error_code& ec) noexcept;

/// Details of an error.
struct diagnostics {
    /// tandem's message: what failed, with which value, and what to do. Never contains a key or a
    /// prompt.
    std::string client_message{};
    /// The server's message, without control characters and at most 4 KiB long; treat it as
    /// untrusted input.
    std::string server_message{};
    /// HTTP status of the answer; 0 if there was none.
    int http_status = 0;

    /// Both messages on one line.
    std::string to_string() const;
};

}  // namespace v0
}  // namespace tandem

namespace boost::system {
template <>
struct is_error_code_enum<tandem::errc> : std::true_type {};
}  // namespace boost::system

#pragma once

#include <boost/system/error_code.hpp>

#include <string>
#include <type_traits>

namespace tandem {

/// As Boost and Asio have it; `errc` are those of the library.
using error_code = boost::system::error_code;

/// What can go wrong, in the category `tandem`. docs/architecture.md tells where each one arises.
enum class errc {
    /// A field of the configuration has a value that cannot work.
    invalid_config = 1,
    /// The prompt cannot be sent: it is not valid UTF-8, or larger than the bound.
    invalid_prompt,
    /// The URL's host name has no address.
    resolve_failed,
    /// Nobody listens at the URL, or the connection broke before it was up.
    connect_failed,
    /// The TLS handshake or the check of the certificate failed.
    tls_failed,
    /// No connection within `connect_timeout`.
    connect_timeout,
    /// No first token within `first_token_timeout` (queueing and prompt processing included).
    first_token_timeout,
    /// No further token within `between_tokens_timeout`.
    between_tokens_timeout,
    /// The consumer did not say continue within `continue_timeout`.
    continue_timeout,
    /// A call other than /completion took longer than `request_timeout`.
    request_timeout,
    /// The connection closed before the answer was complete.
    stream_incomplete,
    /// The server wants another API key (HTTP 401 or 403).
    unauthorized,
    /// The server is still loading its model (HTTP 503).
    model_loading,
    /// The prompt has at least as many tokens as the context of a slot.
    prompt_too_long,
    /// The server refused the request (HTTP 400), or would: a slot's file has a name that it may
    /// not take.
    bad_request,
    /// The server does not have this endpoint, or it is switched off (HTTP 404, 501).
    not_supported,
    /// The server failed while working on the request (HTTP 5xx, or an error in the stream).
    server_error,
    /// The answer is not what a llama-server sends.
    bad_response,
    /// The answer is larger than the bound for it.
    response_too_large,
    /// A second operation of a kind of which only one may be outstanding.
    operation_in_progress,
    /// The client or service was destroyed before the operation could end.
    client_destroyed,
    /// As many replies wait for a slot as `queue_limit` allows.
    queue_full,
    /// No slot became free within `queue_timeout`.
    queue_timeout,
    /// None of the service's servers is up with its model loaded, or there is none.
    no_model,
    /// The conversation has ended, or is not known to this service.
    session_not_found,
    /// A conversation's prompt could not be rendered or counted.
    tokenize_failed,
    /// The conversation's server went away, or was removed, while its reply ran.
    server_gone,
    /// No turn was interrupted within `resume_grace`, or the next one has begun.
    nothing_to_resume,
    /// No slot holds the conversation.
    nothing_to_save,
    /// The reply did not end within `reply_timeout`.
    reply_timeout,
    /// The server's last requests failed one after the other: none is sent for a while.
    circuit_open,
    /// Nobody runs the io_context of a channel's reply: it was stopped or destroyed, or had run out
    /// of work.
    context_stopped,
    /// The channel has a reply already, or is in the list twice.
    channel_in_use,
    /// The channel has finished, or was cancelled.
    channel_finished,
    /// Not one channel for each reply.
    channel_mismatch,
    /// An exception in what feeds a channel.
    channel_failed,
};

/// The category of `errc`.
const boost::system::error_category& error_category() noexcept;

/// By which an `errc` becomes an error_code by itself.
inline error_code make_error_code(errc e) noexcept {
    return {static_cast<int>(e), error_category()};
}

/// The name of an error as programs see it: "stream_incomplete". Codes of other categories give
/// their own message.
std::string error_name(const error_code& ec);

/// True if the same request may succeed when it is sent again, to this or another server.
bool is_retryable(const error_code& ec) noexcept;

/// What is known about an error besides its code.
struct diagnostics {
    /// Our words: what failed, with which value, and what to do. Never holds a key or a prompt.
    std::string client_message{};
    /// The server's words as it sent them; treat them as untrusted input.
    std::string server_message{};
    /// HTTP status of the answer, 0 where there was none.
    int http_status = 0;

    /// Both messages in one line, for logs and people.
    std::string to_string() const;
};

}  // namespace tandem

namespace boost::system {
template <>
struct is_error_code_enum<tandem::errc> : std::true_type {};
}  // namespace boost::system

#include "wire/stream/server_error.hpp"

#include "wire/stream/sanitize_server_text.hpp"
#include "wire/stream/token_event_decoder.hpp"

#include <fmt/format.h>

#include <string>

namespace tandem::wire {
namespace {

bool mentions(std::string_view text, std::string_view word) noexcept {
    return text.find(word) != std::string_view::npos;
}

bool is_prompt_too_long(const token_event& e) noexcept {
    return e.error_type == "exceed_context_size_error" ||
           (e.error_status == 400 && mentions(e.error_message, "exceeds the available context"));
}

// Matches "Loading model" with either case of the first letter.
bool is_unavailable(const token_event& e) noexcept {
    return mentions(e.error_type, "unavailable") || mentions(e.error_message, "unavailable") ||
           mentions(e.error_message, "oading");
}

/// `e.error_status` is the HTTP status, or the code of an error in a stream.
errc classify(const token_event& e) noexcept {
    const int status = e.error_status;
    if (is_prompt_too_long(e)) return errc::prompt_too_long;
    if (status == 401 || status == 403) return errc::unauthorized;
    if (status == 503 && is_unavailable(e)) return errc::model_loading;
    if (status == 404 || status == 501) return errc::not_supported;
    if (status >= 400 && status < 500) return errc::bad_request;
    if (status >= 500 && status < 600) return errc::server_error;
    return errc::bad_response;
}

std::string tokens_in_words(const token_event& e) {
    if (e.error_prompt_tokens == 0 || e.error_context == 0)
        return "the prompt does not fit the context of a slot; shorten it, or give the server a "
               "larger --ctx-size";
    return fmt::format(
        "the prompt has {} tokens, but the context of a slot only {}; shorten it, or "
        "give the server a larger --ctx-size",
        e.error_prompt_tokens, e.error_context);
}

std::string words_for(errc code, const token_event& e) {
    switch (code) {
        case errc::prompt_too_long:
            return tokens_in_words(e);
        case errc::unauthorized:
            return "the server rejected the API key, or requires one; set api_key to the one it "
                   "was started with";
        case errc::model_loading:
            return "the server is still loading its model; try again in a moment";
        case errc::not_supported:
            return "the server does not support this; check that the URL is that of a llama-server";
        case errc::bad_request:
            return "the server rejected the request";
        case errc::server_error:
            return "the server failed to process the request; check its log";
        default:
            return "the answer is not from a llama-server; check the URL";
    }
}

/// Whether the body is an HTML page, as other servers and proxies return. Such a page is not useful
/// in a message.
bool is_page(std::string_view body) noexcept {
    const auto first = body.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && body[first] == '<';
}

/// Reads the error in a body. If the body is not an error in JSON, its text becomes the message.
token_event read_error(int http_status, std::string_view body) {
    token_event e;
    if (decode_token_event(body, e) || e.what != token_event::kind::error) {
        e = {};
        e.error_message = sanitize_server_text(body);
    }
    e.error_status = http_status;
    return e;
}

}  // namespace

bool is_gateway_error(int http_status) noexcept {
    return http_status >= 502 && http_status <= 504;
}

error_code decode_error(std::string_view path, int http_status, std::string_view body,
                        diagnostics& diag) {
    auto e = read_error(http_status, body);
    const auto code = classify(e);
    const bool is_of_proxy = code == errc::server_error && is_gateway_error(http_status);
    const auto words = is_of_proxy ? "a proxy cannot reach the server; check that the server runs"
                                   : words_for(code, e);
    diag.http_status = http_status;
    diag.client_message = fmt::format("{}: {} (HTTP {})", path, words, http_status);
    diag.server_message = is_page(body) ? std::string() : std::move(e.error_message);
    return code;
}

error_code decode_stream_error(const token_event& event, diagnostics& diag) {
    auto code = classify(event);
    // Even if its code is unknown, an error in the stream comes from the server.
    if (code == errc::bad_response) code = errc::server_error;
    diag.http_status = 200;
    diag.client_message = fmt::format("in the stream: {}", words_for(code, event));
    diag.server_message = event.error_message;
    return code;
}

error_code make_bad_response_error(std::string_view path, int http_status, std::string_view why,
                                   diagnostics& diag) {
    diag.http_status = http_status;
    diag.client_message = fmt::format("{}: the answer is not from a llama-server: {}", path, why);
    diag.server_message.clear();
    return errc::bad_response;
}

}  // namespace tandem::wire

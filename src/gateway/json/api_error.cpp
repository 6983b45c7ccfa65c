#include "gateway/json/api_error.hpp"

#include "gateway/json/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

int status_of(const error_code& ec) noexcept {
    switch (static_cast<errc>(ec.value())) {
        case errc::invalid_prompt:
        case errc::bad_request:
        case errc::prompt_too_long:
            return 400;
        case errc::session_not_found:
            return 404;
        case errc::operation_in_progress:
        case errc::nothing_to_resume:
            return 409;
        case errc::queue_full:
        case errc::queue_timeout:
            return 429;
        case errc::connect_timeout:
        case errc::first_token_timeout:
        case errc::between_tokens_timeout:
        case errc::request_timeout:
        case errc::reply_timeout:
            return 504;
        case errc::no_model:
        case errc::connect_failed:
        case errc::model_loading:
        case errc::server_gone:
        case errc::client_destroyed:
        case errc::circuit_open:
            return 503;
        default:
            return 502;
    }
}

/// Replaces messages of the library that name its functions or fields, or address its user. Empty
/// for other errors.
std::string_view words_for_clients(const error_code& ec) noexcept {
    if (ec.category() != error_category()) return {};
    switch (static_cast<errc>(ec.value())) {
        case errc::continue_timeout:
            return "no continue within continue_timeout_ms; send continue for each chunk that was "
                   "spoken";
        case errc::nothing_to_resume:
            return "no turn was interrupted within resume_grace_ms, or the next one has begun, or "
                   "a grammar or a schema constrains the turn";
        case errc::queue_timeout:
            return "no slot became free in time; try again in a moment";
        case errc::first_token_timeout:
            return "the server sent no token in time: it is overloaded, or the prompt is long";
        case errc::between_tokens_timeout:
            return "the server stopped in the middle of the answer";
        case errc::reply_timeout:
            return "the answer took longer than the gateway allows";
        case errc::request_timeout:
            return "the server did not answer in time";
        case errc::connect_timeout:
        case errc::connect_failed:
        case errc::resolve_failed:
        case errc::tls_failed:
            return "the server could not be reached";
        case errc::unauthorized:
            return "the server rejects the gateway's API key, or requires one";
        case errc::not_supported:
            return "the server does not support this request; with tools, its chat template must "
                   "show how a tool call begins";
        case errc::bad_response:
            return "the server's answer cannot be read";
        case errc::invalid_tool_call:
            return "the model began a tool call that the server can neither parse nor generate, or "
                   "that is longer than 1 MiB; try again, or use a model that is trained for tools";
        case errc::invalid_config:
            return "the gateway's options for the reply cannot be used";
        case errc::no_model:
            return "no server is available: each is down, loading its model or draining; try "
                   "again in a moment";
        case errc::session_not_found:
            return "the conversation has ended";
        case errc::client_destroyed:
            return "the gateway ended the reply";
        default:
            return {};
    }
}

/// Clients may be untrusted, so the text must not contain addresses or faults of servers, which
/// only the log contains.
std::string words_of(const error_code& ec, int status, const diagnostics& diag) {
    const auto words = words_for_clients(ec);
    if (!words.empty()) return std::string(words);
    return status >= 500 || diag.client_message.empty() ? ec.message() : diag.client_message;
}

std::string type_of(int status) {
    switch (status) {
        case 401:
            return "authentication_error";
        case 403:
            return "permission_error";
        case 404:
            return "not_found_error";
        case 429:
            return "rate_limit_error";
        default:
            return status < 500 ? "invalid_request_error" : "server_error";
    }
}

}  // namespace

api_error make_error(int status, std::string code, std::string message, std::string param) {
    return {.status = status,
            .type = type_of(status),
            .code = std::move(code),
            .message = std::move(message),
            .param = std::move(param)};
}

api_error make_invalid_value_error(std::string field, std::string_view what) {
    auto message = fmt::format("{} {}", field, what);
    return make_error(400, "invalid_value", std::move(message), std::move(field));
}

std::string encode_error_body(const api_error& e) {
    return dump_json(json{{"error",
                           {{"message", e.message},
                            {"type", e.type},
                            {"param", text_or_null(e.param)},
                            {"code", text_or_null(e.code)}}}});
}

api_error make_stopping_error() {
    auto e =
        make_error(503, "gateway_stopping", "the gateway is being stopped; try again in a moment");
    e.retry_after = std::chrono::seconds(1);
    return e;
}

api_error make_internal_error() {
    return make_error(500, "server_error", "internal error of the gateway");
}

std::string quote_text(std::string_view words) {
    constexpr std::size_t most = 64;
    return truncate_text(words, most, "...");
}

api_error to_api_error(const error_code& ec, const diagnostics& diag) {
    const bool is_ours = ec.category() == error_category();
    const int status = is_ours ? status_of(ec) : 500;
    // OpenAI's clients recognize this code.
    auto code = ec == errc::prompt_too_long ? "context_length_exceeded" : error_name(ec);
    auto e = make_error(status, std::move(code), words_of(ec, status, diag));
    if (status == 404) e.type = "invalid_request_error";
    if (ec == errc::bad_request && !diag.server_message.empty())
        e.message += ": " + diag.server_message;
    if (status == 429 || status == 503) e.retry_after = std::chrono::seconds(1);
    return e;
}

}  // namespace tandem::gateway

#include "tandem/error.hpp"

#include "base/find_error_code.hpp"

#include <fmt/format.h>

#include <array>

namespace tandem {
inline namespace v0 {
namespace {

struct errc_row {
    errc code;
    const char* name;
    bool retryable;
    const char* message;
};

// Codes missing from this table are unknown to this build.
constexpr std::array errc_rows{
    errc_row{errc::invalid_config, "invalid_config", false,
             "a configuration field has an invalid value"},
    errc_row{errc::invalid_prompt, "invalid_prompt", false,
             "the prompt is not valid UTF-8, or too large"},
    errc_row{errc::resolve_failed, "resolve_failed", true,
             "the server's host name cannot be resolved; check the URL"},
    errc_row{errc::connect_failed, "connect_failed", true,
             "no server listens at the URL; start llama-server or check host and port"},
    errc_row{errc::tls_failed, "tls_failed", false,
             "the TLS handshake failed; check the URL's scheme, the certificate and ca_file"},
    errc_row{errc::connect_timeout, "connect_timeout", true,
             "no connection within connect_timeout; check host, port and firewall"},
    errc_row{errc::first_token_timeout, "first_token_timeout", true,
             "no token within first_token_timeout; the server is overloaded or the prompt is long"},
    errc_row{errc::between_tokens_timeout, "between_tokens_timeout", true,
             "no further token within between_tokens_timeout; the server stalled"},
    errc_row{errc::continue_timeout, "continue_timeout", false,
             "no continue within continue_timeout; call continue_after() for each chunk"},
    errc_row{errc::request_timeout, "request_timeout", true,
             "no answer within request_timeout; the server is overloaded or stalled"},
    errc_row{errc::stream_incomplete, "stream_incomplete", true,
             "the connection closed before the answer was complete; the server may have died"},
    errc_row{errc::unauthorized, "unauthorized", false,
             "the server rejected the API key, or requires one; set api_key to the one "
             "llama-server was given"},
    errc_row{errc::model_loading, "model_loading", true,
             "the server is still loading its model; try again in a moment"},
    errc_row{errc::prompt_too_long, "prompt_too_long", false,
             "the prompt does not fit the context of a slot; shorten it or raise --ctx-size"},
    errc_row{errc::bad_request, "bad_request", false, "the server rejected the request"},
    errc_row{errc::not_supported, "not_supported", false,
             "the server does not support this; check that the URL is that of a llama-server"},
    errc_row{errc::server_error, "server_error", true, "the server failed to process the request"},
    errc_row{errc::bad_response, "bad_response", false,
             "the answer is not from a llama-server; check the URL"},
    errc_row{errc::response_too_large, "response_too_large", false,
             "the answer exceeds its size limit"},
    errc_row{errc::operation_in_progress, "operation_in_progress", false,
             "an operation of this kind is already outstanding"},
    errc_row{errc::client_destroyed, "client_destroyed", false,
             "the client was destroyed before the operation completed"},
    errc_row{errc::queue_full, "queue_full", true,
             "the number of waiting replies has reached queue_limit; use more slots or servers"},
    errc_row{errc::queue_timeout, "queue_timeout", true,
             "no slot became free within queue_timeout; use more slots or servers"},
    errc_row{errc::no_model, "no_model", true,
             "no server is up with its model loaded; start one, or check the list of servers"},
    errc_row{errc::session_not_found, "session_not_found", false,
             "the conversation has ended or belongs to another service; create another one"},
    errc_row{errc::tokenize_failed, "tokenize_failed", true,
             "the conversation's prompt could not be rendered or counted"},
    errc_row{errc::server_gone, "server_gone", true,
             "the conversation's server was lost during its reply"},
    errc_row{errc::nothing_to_resume, "nothing_to_resume", false,
             "no turn was interrupted within resume_grace, or the next one has begun"},
    errc_row{errc::nothing_to_save, "nothing_to_save", false,
             "no slot holds the conversation; it has no reply yet, or its slots were reassigned"},
    errc_row{errc::reply_timeout, "reply_timeout", false,
             "the reply did not end within reply_timeout"},
    errc_row{errc::circuit_open, "circuit_open", true,
             "the last requests to the server failed; no requests are sent during breaker_pause"},
    errc_row{errc::context_stopped, "context_stopped", false,
             "the reply's io_context is not running; keep it running until its replies have ended"},
    errc_row{errc::channel_in_use, "channel_in_use", false,
             "the channel already has a reply; create one for each reply"},
    errc_row{errc::channel_finished, "channel_finished", false,
             "the channel has finished or was cancelled; create one for each reply"},
    errc_row{errc::channel_mismatch, "channel_mismatch", false,
             "there must be one channel for each reply"},
    errc_row{errc::channel_failed, "channel_failed", false, "an exception ended the channel"},
    errc_row{errc::invalid_tool_call, "invalid_tool_call", true,
             "the model began a tool call that the server cannot parse"},
    errc_row{errc::draft_skipped, "draft_skipped", false, "the draft was not begun"},
};

const errc_row* find_row(int value) noexcept {
    for (const auto& row : errc_rows)
        if (static_cast<int>(row.code) == value) return &row;
    return nullptr;
}

class tandem_category final : public boost::system::error_category {
 public:
    const char* name() const noexcept override { return "tandem"; }
    std::string message(int value) const override {
        const auto* row = find_row(value);
        return row ? row->message : fmt::format("unknown error {}", value);
    }
};

}  // namespace

const boost::system::error_category& error_category() noexcept {
    static const tandem_category category;
    return category;
}

std::string error_name(const error_code& ec) {
    if (ec.category() != error_category()) return ec.message();
    const auto* row = find_row(ec.value());
    return row ? row->name : "unknown";
}

error_code find_error_code(std::string_view name) noexcept {
    for (const auto& row : errc_rows)
        if (row.name == name) return row.code;
    return {};
}

bool is_retryable(const error_code& ec) noexcept {
    if (ec.category() != error_category()) return false;
    const auto* row = find_row(ec.value());
    return row && row->retryable;
}

std::string diagnostics::to_string() const {
    if (server_message.empty()) return client_message;
    return fmt::format("{} (server message: {})", client_message, server_message);
}

}  // namespace v0
}  // namespace tandem

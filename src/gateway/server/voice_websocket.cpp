#include "gateway/server/voice_websocket.hpp"

#include "gateway/sessions/voice_session.hpp"
#include "gateway/voice/voice_message_reader.hpp"
#include "gateway/voice/voice_message_writer.hpp"
#include "gateway/voice/voice_protocol.hpp"
#include "gateway/voice/voice_turn_machine.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

namespace tandem::gateway {
namespace {

// Maximum number of messages that wait for a start. If the session moves here from another gateway,
// it arrives within session_store::release_limit, which is 0.3 s.
constexpr std::size_t max_early_messages = 100;

std::string make_fatal_error(int status, std::string code, std::string message) {
    return encode_error(
        {.why = make_error(status, std::move(code), std::move(message)), .fatal = true});
}

}  // namespace

std::optional<api_error> check_voice_upgrade(const http_exchange& exchange,
                                             const gateway_core& core) {
    if (auto refusal = check_upgrade(exchange, core)) return refusal;
    const auto protocols = exchange.header("Sec-WebSocket-Protocol");
    if (protocols.empty() || offers_voice_protocol(protocols)) return std::nullopt;
    return make_error(400, "unknown_protocol",
                      "offer the subprotocol " + std::string(voice_protocol));
}

voice_websocket::voice_websocket(client_stream stream, std::shared_ptr<gateway_core> core,
                                 voice_caller caller)
    : message_socket(std::move(stream), core,
                     {.request_id = caller.request_id,
                      .protocol = voice_protocol,
                      .max_message_bytes = core->options.voice.message_bytes}),
      caller_(std::move(caller)),
      number_(core_->voices.add_socket(*this)) {}

voice_websocket::~voice_websocket() {
    core_->voices.remove_socket(number_);
}

void voice_websocket::handle_message(std::string_view text) {
    auto read = parse_voice_message(text);
    if (auto* const fault = std::get_if<voice_message_error>(&read))
        return send(
            encode_error({.why = *fault, .turn = fault->ids.turn, .call = fault->ids.call}));
    handle(std::get<voice_message>(std::move(read)));
}

void voice_websocket::handle(voice_message message) {
    if (const auto session = session_.lock())
        return session->on_message(number_, std::move(message));
    auto* const first = std::get_if<voice::start>(&message);
    is_starting_ = is_starting_ || (first && caller_);
    if (first && caller_)
        return core_->voices.start(number_, *std::exchange(caller_, std::nullopt),
                                   std::move(*first));
    if (is_starting_ && early_.size() < max_early_messages)
        return early_.push_back(std::move(message));
    send(encode_no_session_error(get_ids(message)));
}

std::string voice_websocket::make_closing_message(voice_close why) const {
    if (why == voice_close::no_text)
        return make_fatal_error(400, "binary_message", "messages are JSON in text frames");
    if (why == voice_close::too_large)
        return make_fatal_error(
            413, "message_too_large",
            fmt::format("the message exceeds limits.message_bytes, {} bytes; send "
                        "less in one message",
                        core_->options.voice.message_bytes));
    if (why == voice_close::too_many_messages)
        return make_fatal_error(429, "too_many_messages",
                                "more messages than limits.messages_per_second");
    return {};
}

// The session is kept for a client that reconnects. Removing the socket cancels a start that still
// waits for the cluster, because the client may already have a newer socket.
void voice_websocket::on_reading_ended() {
    core_->voices.remove_socket(number_);
    if (const auto session = std::exchange(session_, {}).lock()) session->on_socket_lost(number_);
}

void voice_websocket::on_started(std::weak_ptr<voice_session> session) {
    session_ = std::move(session);
    handle_early_messages();
}

void voice_websocket::on_refused(voice_caller caller, voice_error why) {
    caller_ = std::move(caller);
    send(encode_error(why));
    handle_early_messages();
}

void voice_websocket::handle_early_messages() {
    is_starting_ = false;
    for (auto& message : std::exchange(early_, {})) handle(std::move(message));
}

void voice_websocket::send(std::string text) {
    queue_message(std::move(text));
}

void voice_websocket::close(voice_close why) {
    begin_closing(why);
}

void voice_websocket::close_when_idle() {
    if (session_.expired()) begin_closing(voice_close::restarting);
}

}  // namespace tandem::gateway

#pragma once

#include "gateway/server/message_socket.hpp"
#include "gateway/sessions/voice_session_host.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::gateway {

/// Why a request is not a valid upgrade to the voice WebSocket: 426, 400 or 503; nullopt if it is
/// valid.
std::optional<api_error> check_voice_upgrade(const http_exchange& exchange,
                                             const gateway_core& core);

/// One voice WebSocket: reads the client's messages for its session, and writes the session's
/// answers.
class voice_websocket final : public voice_sink, public message_socket {
 public:
    voice_websocket(client_stream stream, std::shared_ptr<gateway_core> core, voice_caller caller);
    ~voice_websocket() override;

    void on_started(std::weak_ptr<voice_session> session) override;
    void on_refused(voice_caller caller, voice_error why) override;
    void send(std::string text) override;
    void close(voice_close why) override;
    /// Closes the socket if it has no session. Otherwise, the session closes it.
    void close_when_idle() override;
    void abort() override {}

 private:
    void handle_message(std::string_view text) override;
    std::string make_closing_message(voice_close why) const override;
    void on_reading_ended() override;
    void handle(voice_message message);
    void handle_early_messages();

    std::optional<voice_caller> caller_;  // empty while a session exists or is requested
    /// Messages that arrive while a start waits for the cluster; handled after it.
    std::vector<voice_message> early_{};
    bool is_starting_ = false;
    voice_socket number_;
    std::weak_ptr<voice_session> session_;
};

}  // namespace tandem::gateway

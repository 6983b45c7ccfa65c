#pragma once

#include "gateway/server/message_socket.hpp"
#include "gateway/server/response_answer.hpp"
#include "gateway/sessions/voice_session.hpp"

#include <boost/asio/awaitable.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tandem::gateway {

/// A WebSocket of /v1/responses: each message `response.create` is a request, and each event of the
/// response is a message. Requests are answered one after the other; `response.cancel` ends the
/// running response.
class response_websocket final : public message_socket {
 public:
    response_websocket(client_stream stream, std::shared_ptr<gateway_core> core,
                       voice_caller caller);

    void close_when_idle() override;
    void abort() override;

 private:
    class client;

    void handle_message(std::string_view text) override;
    std::string make_closing_message(voice_close why) const override;
    void on_reading_ended() override;

    void queue_request(std::string body);
    awaitable<void> answer_requests();
    awaitable<void> answer(std::string body);
    awaitable<void> answer(client& requester, const std::string& body);
    void cancel_answer();
    void cancel_answer(const std::string& id);

    voice_caller caller_;
    std::deque<std::string> waiting_;
    socket_response newest_;
    std::function<void()> cancel_;  // cancels the running answer
    bool is_cancelled_ = false;     // whether the running request is cancelled
    bool is_answering_ = false;
    bool closes_when_idle_ = false;
};

}  // namespace tandem::gateway

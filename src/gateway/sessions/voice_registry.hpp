#pragma once

#include "gateway/sessions/voice_session.hpp"
#include "gateway/voice/voice_answer.hpp"
#include "gateway/voice/voice_message.hpp"

#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace tandem::gateway {

/// Messages to a socket. None of these calls a session back.
class voice_outlet {
 public:
    /// The socket has a session; or has none, and its caller may try again.
    virtual void started(std::weak_ptr<voice_session> session) = 0;
    virtual void refused(voice_caller caller, voice_error why) = 0;
    virtual void send(std::string text) = 0;
    /// Behind what was sent.
    virtual void close(voice_close why) = 0;

 protected:
    ~voice_outlet() = default;
};

/// The voice sessions of a gateway, with their conversations, and its sockets. A socket may go, and
/// another one may take its session up. On the gateway's loop.
class voice_registry final : public voice_host {
 public:
    explicit voice_registry(gateway_state& gateway);
    voice_registry(const voice_registry&) = delete;
    voice_registry& operator=(const voice_registry&) = delete;

    /// A socket's first start opens a session here, or takes it up. The socket is informed.
    void start(voice_socket socket, voice_caller caller, voice::start first);
    // A socket is here until it is destroyed.
    voice_socket add(voice_outlet& outlet);
    void remove(voice_socket socket) noexcept;

    void send(voice_socket socket, std::string text) override;
    void close(voice_socket socket, voice_close why) override;
    void keep(std::string_view id) override;
    void forget(const std::string& id) override;

    /// No turn begins any more; sessions end with the reply that runs.
    void drain();
    /// Replies are interrupted.
    void stop();
    /// All sessions are over at once.
    void clear();

 private:
    using session_ptr = std::shared_ptr<voice_session>;

    std::variant<session_ptr, api_error> admit(const admitted& who, const voice::start& first);
    std::variant<session_ptr, api_error> open(const admitted& who, const voice::start& first);
    std::variant<session_ptr, api_error> take_up(const admitted& who, const std::string& id);
    session_ptr make(const std::string& id, served_model& model, const voice::start& first);
    std::vector<session_ptr> all() const;
    voice_outlet* find(voice_socket socket) const noexcept;
    void watch_expiry();
    void drop_expired();

    gateway_state& gateway_;
    std::unordered_map<std::string, session_ptr> sessions_;
    std::unordered_map<voice_socket, voice_outlet*> sockets_;
    std::uint64_t sockets_made_ = 0;
    boost::asio::steady_timer expiry_;
    bool is_watching_ = false;
};

}  // namespace tandem::gateway

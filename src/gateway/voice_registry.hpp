#pragma once

#include "gateway/gatekeeper.hpp"
#include "gateway/voice_actions.hpp"
#include "gateway/voice_message.hpp"
#include "gateway/voice_sessions.hpp"

#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace tandem::gateway {

struct gateway_core;
struct served_model;
class voice_session;

/// What a session says to a socket. Neither calls the session back.
class voice_outlet {
 public:
    virtual void send(std::string text) = 0;
    /// Behind what was sent.
    virtual void close(voice_close why) = 0;

 protected:
    ~voice_outlet() = default;
};

/// Who talks over a socket.
struct voice_caller {
    admitted who;
    /// For the audit: of the request that was upgraded, and the client's address.
    std::string request_id{};
    std::string remote{};
    /// As that request has it; see http_exchange::traceparent().
    std::string traceparent{};
};

/// The voice sessions of a gateway, with their conversations, and the sockets that there are. On
/// the gateway's loop.
class voice_registry {
 public:
    explicit voice_registry(gateway_core& core);
    ~voice_registry();
    voice_registry(const voice_registry&) = delete;
    voice_registry& operator=(const voice_registry&) = delete;

    /// The session that a socket's first start opens or takes up, or why it has none.
    std::variant<std::shared_ptr<voice_session>, api_error> admit(const admitted& who,
                                                                  const voice::start& first);
    /// It has no socket any more: it is kept for a time.
    void keep(std::string_view id);
    /// It is over.
    void forget(const std::string& id);

    // A socket is here until it is destroyed.
    voice_socket add(voice_outlet& outlet);
    void remove(voice_socket socket) noexcept { sockets_.erase(socket); }
    /// Null if it is gone.
    voice_outlet* find(voice_socket socket) const noexcept;

    /// No turn begins any more; sessions end with the reply that runs.
    void drain();
    /// Replies are interrupted.
    void stop();
    /// All sessions are over at once.
    void clear();
    /// WebSockets, and sessions, with or without one.
    std::size_t sockets() const noexcept { return sockets_.size(); }
    std::size_t sessions() const noexcept { return sessions_.size(); }
    /// There is no session.
    bool is_empty() const noexcept { return sessions_.empty(); }

 private:
    std::variant<served_model*, api_error> model_of(const admitted& who, const voice::start& first);
    std::shared_ptr<voice_session> make(const std::string& id, served_model& model,
                                        const voice::start& first);
    std::vector<std::shared_ptr<voice_session>> all() const;
    void watch_expiry();
    void drop_expired();

    gateway_core& core_;
    voice_sessions known_;
    std::unordered_map<std::string, std::shared_ptr<voice_session>> sessions_;
    std::unordered_map<voice_socket, voice_outlet*> sockets_;
    voice_socket last_socket_ = 0;
    boost::asio::steady_timer expiry_;
    bool is_watching_ = false;
};

}  // namespace tandem::gateway

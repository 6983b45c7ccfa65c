#pragma once

#include "gateway/access/gatekeeper.hpp"
#include "gateway/voice/voice_actions.hpp"
#include "gateway/voice/voice_answer.hpp"
#include "gateway/voice/voice_message.hpp"

#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace tandem::gateway {

struct gateway_loop;
struct served_model;
class voice_session;

struct voice_caller;

/// What a session says to a socket, on the socket's loop. None calls the session back.
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

/// Who talks over a socket.
struct voice_caller {
    admitted who;
    /// For the audit: of the request that was upgraded, and the client's address.
    std::string request_id{};
    std::string remote{};
    /// As that request has it; see http_exchange::traceparent().
    std::string traceparent{};
};

/// The voice sessions of one loop of a gateway, with their conversations, and its sockets. A
/// session stays where it was opened; a socket that takes it up may be on another loop, and so they
/// talk to each other by what the one loop tells the other. Which sessions there are in all, the
/// gateway's voice_directory knows. On its loop.
class voice_registry {
 public:
    explicit voice_registry(gateway_loop& loop);
    ~voice_registry();
    voice_registry(const voice_registry&) = delete;
    voice_registry& operator=(const voice_registry&) = delete;

    /// The loop of the session that a socket of this loop wants to take up; this one, where it
    /// wants a new one or there is none.
    gateway_loop& home_of(const std::string& session);
    /// A socket's first start opens a session here, or takes it up. The socket is told.
    void start(voice_socket socket, voice_caller caller, voice::start first);
    /// It has no socket any more: it is kept for a time.
    void keep(std::string_view id);
    /// It is over.
    void forget(const std::string& id);

    // A socket is here until it is destroyed.
    voice_socket add(voice_outlet& outlet);
    void remove(voice_socket socket) noexcept;
    // What a session of this loop says to a socket, which may be another loop's, and gone.
    void send(voice_socket socket, std::string text);
    void close(voice_socket socket, voice_close why);

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
    template <class Function>
    void tell(voice_socket socket, Function f);
    voice_outlet* find(voice_socket socket) const noexcept;
    void let_go(const std::string& id, std::size_t loop);
    void watch_expiry();
    void drop_expired();

    gateway_loop& loop_;
    std::unordered_map<std::string, session_ptr> sessions_;
    std::unordered_map<voice_socket, voice_outlet*> sockets_;
    std::uint64_t sockets_made_ = 0;
    /// Of the first loop, for all.
    boost::asio::steady_timer expiry_;
    bool is_watching_ = false;
};

}  // namespace tandem::gateway

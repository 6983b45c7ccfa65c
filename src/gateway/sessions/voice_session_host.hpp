#pragma once

#include "gateway/sessions/voice_session.hpp"
#include "gateway/voice/voice_message_reader.hpp"
#include "gateway/voice/voice_message_writer.hpp"

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

/// Output to a socket. Implementations must not call functions of a session.
class voice_sink {
 public:
    /// The result of a start: either the socket has a session, or on_refused() returns the caller
    /// for another start.
    virtual void on_started(std::weak_ptr<voice_session> session) = 0;
    virtual void on_refused(voice_caller caller, voice_error why) = 0;
    virtual void send(std::string text) = 0;
    /// Closes the socket after all messages passed to send().
    virtual void close(voice_close why) = 0;

 protected:
    ~voice_sink() = default;
};

/// The voice sessions of a gateway with their conversations, and the gateway's sockets. A session
/// outlives its socket, and can be resumed on another one. Use it on the gateway's loop.
class voice_session_host {
 public:
    explicit voice_session_host(gateway_core& gateway);
    voice_session_host(const voice_session_host&) = delete;
    voice_session_host& operator=(const voice_session_host&) = delete;

    /// Opens or resumes a session for a socket's first start, and notifies the socket.
    void start(voice_socket socket, voice_caller caller, voice::start first);
    // A socket is registered while it receives messages. A start has no effect once its socket was
    // removed.
    voice_socket add_socket(voice_sink& outlet);
    void remove_socket(voice_socket socket) noexcept { sockets_.erase(socket); }
    std::size_t count_sockets() const noexcept { return sockets_.size(); }

    // Called by the sessions.
    void send(voice_socket socket, std::string text);
    void close(voice_socket socket, voice_close why);
    /// The session has lost its socket, and is kept for a while.
    void keep_without_socket(std::string_view id);
    /// The session has ended.
    void forget_session(const std::string& id);

    /// The store of the cluster may have lost the sessions' records.
    void rewrite_records();
    /// Another gateway of the cluster is taking the session.
    void release_to_gateway(const std::string& id);

    /// Starts no further turns; sessions end after their current reply.
    void drain();
    /// Interrupts all replies.
    void stop();
    /// Ends all sessions immediately.
    void end_all_sessions();

 private:
    using session_ptr = std::shared_ptr<voice_session>;

    void answer_start(voice_socket socket, voice_caller caller, voice::start first,
                      std::variant<session_ptr, api_error> given);
    void ask_cluster(voice_socket socket, voice_caller caller, voice::start first);
    std::variant<session_ptr, api_error> admit_asked(const admitted_request& who,
                                                     const voice::start& first,
                                                     cluster::take_answer taken);
    std::variant<session_ptr, api_error> admit_moved(const admitted_request& who,
                                                     const voice::start& first,
                                                     cluster::taken_session taken);
    std::variant<session_ptr, api_error> restore(const admitted_request& who,
                                                 const voice::start& first,
                                                 cluster::taken_session taken);
    std::variant<session_ptr, api_error> admit(const admitted_request& who,
                                               const voice::start& first);
    std::variant<session_ptr, api_error> open(const admitted_request& who,
                                              const voice::start& first);
    std::variant<session_ptr, api_error> resume(const admitted_request& who,
                                                const voice::start& first);
    voice_setup make_setup(const std::string& id, const served_model& model,
                           const std::string& asked_model) const;
    session_ptr add_session(served_model& model, voice_turn_machine turns,
                            const admitted_request& who, cluster::session_epoch epoch);
    std::vector<session_ptr> list_sessions() const;
    voice_sink* find(voice_socket socket) const noexcept;
    void arm_expiry_timer();
    void drop_expired();

    gateway_core& gateway_;
    std::unordered_map<std::string, session_ptr> sessions_;
    std::unordered_map<voice_socket, voice_sink*> sockets_;
    std::uint64_t sockets_made_ = 0;
    boost::asio::steady_timer expiry_;
    bool is_watching_ = false;
};

}  // namespace tandem::gateway

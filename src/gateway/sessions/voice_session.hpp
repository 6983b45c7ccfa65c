#pragma once

#include "gateway/access/gatekeeper.hpp"
#include "gateway/sessions/served_models.hpp"
#include "gateway/telemetry/audit_line.hpp"
#include "gateway/voice/voice_turns.hpp"

#include "tandem/conversation.hpp"
#include "tandem/reply.hpp"

#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::gateway {

struct gateway_state;

/// Who talks over a socket.
struct voice_caller {
    admitted who;
    /// For the audit: of the request that was upgraded, and the client's address.
    std::string request_id{};
    std::string remote{};
    /// As that request has it; see http_exchange::traceparent().
    std::string traceparent{};
};

/// What owns a voice session, and knows the sockets. None of these calls the session back.
class voice_host {
 public:
    // To a socket, which may be gone.
    virtual void send(voice_socket socket, std::string text) = 0;
    virtual void close(voice_socket socket, voice_close why) = 0;
    /// The session has no socket any more: it is kept for a time.
    virtual void keep(std::string_view session) = 0;
    /// The session is over.
    virtual void forget(const std::string& session) = 0;

 protected:
    ~voice_host() = default;
};

/// Does what a session's voice_turns wants done, with a conversation of the library. The host
/// owns it, and it outlives its sockets; what comes late from the library or a timer finds it gone.
/// On the gateway's loop.
class voice_session : public std::enable_shared_from_this<voice_session> {
 public:
    voice_session(gateway_state& gateway, voice_host& host, served_model& model, voice_setup setup);

    served_model& model() const noexcept { return model_; }

    /// A socket begins the session, or takes it up; of a caller that may have it.
    void attach(voice_socket socket, voice_caller caller, voice::start first);
    void tell(voice_socket socket, voice_message message);
    void drop(voice_socket socket);

    void drain();
    void stop();

 private:
    template <class Function>
    void enter(Function change);
    template <class Function>
    auto later(Function change);
    void perform_all();
    void broke();
    void give_back_seat();
    void watch_check();

    void perform(voice_action::send& a);
    void perform(const voice_action::close& a);
    void perform(const voice_action::check_turn& a);
    void perform(voice_action::open_conversation& a);
    void perform(const voice_action::warm& a);
    void perform(voice_action::append& a);
    void perform(const voice_action::generate& a);
    void perform(const voice_action::generate_raw& a);
    void perform(const voice_action::resume& a);
    void perform(const voice_action::next_chunk& a);
    void perform(const voice_action::continue_after& a);
    void perform(const voice_action::heard& a);
    void perform(const voice_action::interrupt& a);
    void perform(const voice_action::first_chunk& a);
    void perform(const voice_action::keep& a);
    void perform(const voice_action::forget& a);

    std::optional<api_error> refusal(const voice_turn& turn);
    void refuse(const voice_turn& turn, api_error why);
    generation_options options_of(const voice_turn& turn) const;
    void note_prompt(const voice_turn& turn);
    std::string said_up_to(std::uint64_t number);
    void begin(std::uint64_t number, reply r);
    void take(time_point now, std::uint64_t number, const std::optional<chunk>& c);
    audit_record record_of_turn(int status) const;
    void account_refused(const voice_turn& turn, const api_error& why);
    void account(time_point now, const reply_result& result);

    gateway_state& gateway_;
    voice_host& host_;
    served_model& model_;
    std::string id_;
    voice_turns turns_;
    std::optional<voice_caller> caller_;
    std::optional<conversation> talk_;
    std::optional<conversation> raw_talk_;  // of the last raw prompt
    std::optional<reply> reply_;            // the last one
    std::uint64_t number_ = 0;              // of that
    time_point began_{};
    // For the audit: what the client said since the last reply began, and before that one.
    std::map<std::uint64_t, std::string> said_;  // by the turns' numbers
    std::size_t said_bytes_ = 0;
    std::string prompt_;
    // The key's place for a reply: one is enough, as one reply of a session runs at a time.
    std::optional<admitted> seat_;
    boost::asio::steady_timer check_;
    bool is_performing_ = false;
};

}  // namespace tandem::gateway

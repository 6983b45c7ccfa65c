#pragma once

#include "base/failure.hpp"
#include "gateway/access/authorizer.hpp"
#include "gateway/cluster/session_record_writer.hpp"
#include "gateway/sessions/served_models.hpp"
#include "gateway/sessions/voice_audit_prompts.hpp"
#include "gateway/sessions/voice_thinking.hpp"
#include "gateway/sessions/voice_trace.hpp"
#include "gateway/telemetry/audit_line.hpp"
#include "gateway/voice/voice_turn_machine.hpp"
#include "loop/clock.hpp"

#include "tandem/conversation.hpp"
#include "tandem/reply.hpp"

#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::gateway {

struct gateway_core;

/// The client of a socket.
struct voice_caller {
    admitted_request who;
    /// For the audit log: id of the upgrade request, and the client's address.
    std::string request_id{};
    std::string remote{};
    /// From the upgrade request; see http_exchange::traceparent().
    std::string traceparent{};
};

/// Performs the actions of a session's voice_turn_machine with a conversation of the library. The
/// voice_session_host owns the session, which outlives its sockets. Once the session is destroyed,
/// handlers of the library and of timers have no effect. Use it on the gateway's loop.
class voice_session : public std::enable_shared_from_this<voice_session> {
 public:
    voice_session(gateway_core& gateway, served_model& model, voice_turn_machine turns);
    ~voice_session();

    served_model& model() const noexcept { return model_; }

    /// Why this start cannot resume the session; nullopt if it can.
    std::optional<api_error> find_fault(const voice::start& first) const {
        return turns_.find_fault(first);
    }
    /// A socket opens or resumes the session. The caller must be authorized for the session.
    void on_socket_attached(voice_socket socket, voice_caller caller, voice::start first);
    void on_message(voice_socket socket, voice_message message);
    void on_socket_lost(voice_socket socket);

    /// From now on, writes records of the session to the store, so that another gateway can resume
    /// the session.
    void start_storing_records(std::string owner, cluster::session_epoch epoch);
    /// The store may have lost the record.
    void rewrite_record() { record_->on_store_connected(); }
    /// The session's epoch at this gateway; 0 without a record.
    cluster::session_epoch epoch() const noexcept { return record_ ? record_->epoch() : 0; }
    /// Another gateway is taking the session: ends it here once the record is written and no reply
    /// runs.
    void release_to_gateway();
    /// Another gateway has taken the session: ends it here.
    void end_taken_over();

    /// The gateway is stopping. With a record, the session moves to another gateway as soon as the
    /// listener would not notice the move; otherwise, it ends after the running reply.
    void drain();
    /// Draining takes too long: interrupts the running reply. A session with a record moves at
    /// once.
    void stop();

 private:
    /// Passes an event to the turn machine, and performs the resulting actions; actions of events
    /// that these actions cause come last.
    template <class Function>
    void run_and_perform(Function change);
    template <class Function>
    auto bind_to_session(Function change);
    void perform_all();
    void make_record(session_record_writer::record_handler done);
    void move_if_due();
    void leave_if_written();
    void move();
    void on_exception();
    void release_permit();
    void arm_check_timer();

    void perform(voice_action::send& a);
    void perform(const voice_action::close& a);
    void perform(const voice_action::check_turn& a);
    void perform(voice_action::open_conversation& a);
    void perform(const voice_action::load_conversation& a);
    void perform(voice_action::hear& a);
    void perform(const voice_action::draft& a);
    void perform(voice_action::drop_draft& a);
    void perform(voice_action::warm& a);
    void perform(voice_action::append& a);
    void perform(voice_action::answer_call& a);
    void perform(voice_action::add_filler& a);
    void perform(const voice_action::generate& a);
    void perform(const voice_action::generate_raw& a);
    void perform(const voice_action::resume& a);
    void perform(const voice_action::say_text& a);
    void perform(const voice_action::say_aside& a);
    void perform(const voice_action::await_calls& a);
    void perform(const voice_action::next_chunk& a);
    void perform(const voice_action::continue_after& a);
    void perform(const voice_action::speaks_until& a);
    void perform(const voice_action::heard& a);
    void perform(const voice_action::interrupt& a);
    void perform(const voice_action::first_chunk& a);
    void perform(const voice_action::keep& a);
    void perform(const voice_action::forget& a);

    template <class Function>
    void admit(const voice_turn_ptr& turn, Function then);
    std::optional<api_error> find_refusal(const voice_turn& turn, admission checked);
    void on_turn_checked(const voice_action::check_turn& checked, std::optional<api_error> why);
    void on_draft_checked(const voice_turn_ptr& turn, const std::optional<api_error>& why);
    void refuse_turn(const voice_turn& turn, api_error why);
    const std::string& traceparent_of(const voice_turn& turn) const noexcept;
    generation_options options_of(const voice_turn& turn) const;
    generation_options traced_options(const voice_turn& turn);
    void on_draft_ended(const voice_turn& turn, const failure& why, int tokens);
    bool audits_prompts() const;
    void begin_reply(std::uint64_t number, reply r);
    void on_next_chunk(time_point now, std::uint64_t number, const std::optional<chunk>& c);
    audit_record make_turn_record(int status, std::string_view traceparent) const;
    void audit_refused_turn(const voice_turn& turn, const api_error& why);
    void record_reply_end(time_point now, const reply_result& result);

    gateway_core& gateway_;
    served_model& model_;
    std::string id_;
    voice_turn_machine turns_;
    std::optional<voice_caller> caller_;
    std::optional<conversation> talk_;
    std::optional<conversation> raw_talk_;  // its only message is the latest raw prompt
    std::optional<reply> reply_;            // the latest one
    std::uint64_t number_ = 0;              // turn number of reply_
    time_point began_{};
    voice_audit_prompts prompts_{};
    voice_trace trace_{gateway_};
    voice_thinking thinking_{gateway_, model_};
    int drafts_ = 0;  // number of drafts that run or are being checked
    std::uint64_t newest_draft_ = 0;
    // The key's permit for a reply. One permit suffices, because a session runs one reply at a
    // time, and the reply to a draft takes over the draft's permit.
    std::optional<admitted_request> permit_holder_;
    /// nullptr without a cluster.
    std::shared_ptr<session_record_writer> record_;
    bool is_changed_ = false;  // since record_ was last told of a change
    boost::asio::steady_timer check_;
    bool is_performing_ = false;
};

template <class Function>
void voice_session::run_and_perform(Function change) {
    const auto self = shared_from_this();  // an action may erase the session
    try {
        change(detail::now());
        if (!is_performing_) perform_all();
    } catch (...) {
        on_exception();
    }
}

}  // namespace tandem::gateway

#pragma once

#include "loop/strand_scope.hpp"
#include "reply/completion_call.hpp"
#include "reply/consumer_wait.hpp"
#include "reply/machine/reply_machine.hpp"
#include "reply/machine/reply_options.hpp"
#include "reply/reply_start_point.hpp"
#include "server/server_link.hpp"

#include "tandem/reply.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tandem::detail {

/// Executes the decisions of a reply's machine. All functions except make(), link(), scope(), id(),
/// has_ended() and result() run on the scope's strand.
class reply_shell final : public std::enable_shared_from_this<reply_shell>,
                          public shutdown_listener {
 public:
    /// Starts immediately, on the server and with the prompt that `source` supplies.
    static std::shared_ptr<reply_shell> make(strand_scope& scope, const config& rules,
                                             reply_options wish, reply_server_source source,
                                             std::weak_ptr<reply_listener> listener = {},
                                             interrupt_count interrupts = nullptr);
    ~reply_shell();

    const std::shared_ptr<reply_link>& link() const noexcept { return link_; }
    strand_scope& scope() const noexcept { return *scope_; }
    std::uint64_t id() const noexcept { return machine_.id(); }
    /// The server of the reply, or the previous one while the reply moves to another.
    const server_link* server() const noexcept { return server_.get(); }
    bool is_streamed() const noexcept { return is_streamed_; }
    /// Whether text was generated.
    bool has_begun() const noexcept { return machine_.has_begun(); }
    bool is_generating_call() const noexcept { return machine_.is_generating_call(); }
    bool has_ended() const noexcept { return ended_.load(std::memory_order_acquire); }
    const reply_result& result() const noexcept;

    void next_chunk(shared_cancellation by, next_chunk_completion handler);
    void cancel_next_chunk(const shared_cancellation& by);
    void upcoming_speech(shared_cancellation by, speech_completion handler);
    void cancel_upcoming_speech(const shared_cancellation& by);
    void tool_calls(shared_cancellation by, calls_completion handler);
    void cancel_tool_calls(const shared_cancellation& by);
    void continue_after(chunk_id id);
    void speaks_until(chunk_id id, duration rest);
    void heard(chunk_id id, std::size_t characters);
    void heard_share(chunk_id id, double share);
    void interrupt();
    /// See reply_machine::on_draft_committed().
    void commit_draft();
    /// Completes `handler` with the end of the reply instead of the chunk `withheld`: an interrupt
    /// came after the chunk was handed over, but before it was delivered.
    void complete_with_end(chunk_id withheld, next_chunk_completion handler);
    /// Sets the handler that is posted when the reply ends. It is never called if the reply has
    /// already ended.
    void set_end_handler(std::function<void()> handler) { on_end_ = std::move(handler); }
    void abandon(error_code ec, const diagnostics& diag);
    /// Continues on another server if that is possible and `reason` requires it.
    void leave_server(server_leave_reason reason);
    /// See reply_machine::refutes_reason().
    bool refutes_reason(const server_leave_reason& reason) const noexcept;
    void on_owner_destroyed() override;
    void on_context_destroyed() noexcept override;

 private:
    reply_shell(strand_scope& scope, const config& rules, reply_options wish,
                reply_server_source source, std::weak_ptr<reply_listener> listener,
                interrupt_count interrupts);

    std::string_view name() const noexcept { return machine_.is_draft() ? "draft" : "reply"; }
    void start();
    void on_server_acquired(failure why, reply_start_point where);
    void switch_to_server(reply_start_point where);
    void encode_settings();
    void learn_closing_text();
    completion_call::handlers request_handlers();
    completion_call::handlers warming_handlers();
    void report_failure(const completion_call& call, const failure& why);
    void request_slot();
    void request_warm_slot();
    time_point get_due_time() const;
    grant_handler make_grant_handler(bool (reply_shell::*take)(const slots::grant&));
    bool take_slot(const slots::grant& g);
    bool take_warm_slot(const slots::grant& g);
    void send(completion_call& call, int slot, int n_predict, const prompt_view& prompt,
              std::string_view settings);

    // Executes actions until none is left, then arms the timer.
    void perform_actions();
    void perform(action::request_server);
    void perform(action::check_ids);
    void run_after_hand_over(std::function<void(reply_shell&)> ask);
    void tokenize_prompt();
    void recover_tokens(const action::recover_tokens& a);
    bool on_ids_request_failed(const error_code& ec, const diagnostics& diag);
    void perform(action::tokenize_prompt);
    void perform(action::recover_tokens a);
    void perform(action::request_slot a);
    void perform(action::update_slot_request);
    void perform(action::check_slot_demand a);
    void perform(action::record_progress a);
    void perform(action::cancel_slot_request);
    void perform(action::send_request a);
    void perform(action::parse_calls a);
    void perform(action::force_calls a);
    server::server_calls::handler<wire::parsed_reply> make_calls_handler();
    std::optional<std::vector<tool_call>> decode_calls() const;
    void on_calls_parsed(std::vector<tool_call> calls);
    void perform(action::report_calls a);
    void perform(action::close_connection);
    void perform(action::release_slot a);
    void perform(action::release_slot_ownership);
    void perform(action::request_warm_slot);
    void perform(action::cancel_warm_slot_request);
    void perform(action::send_warming_request a);
    void perform(action::close_warming_connection);
    void perform(action::hand_over a);
    void perform(action::log_late_start a);
    void perform(action::log_failover);
    void perform(action::report_timeout a);
    void perform(action::log_slot_mismatch a);
    void perform(action::finish);
    void arm_timer();
    void complete_with_result();
    void warn_unknown_chunk(chunk_id id);
    void deliver_upcoming_speech();
    void deliver_tool_calls(called_functions called);

    std::shared_ptr<strand_scope> scope_;
    std::shared_ptr<reply_link> link_;
    std::weak_ptr<reply_listener> listener_;
    generation_options options_;
    reply_server_source source_;
    std::shared_ptr<server_link> server_;
    std::uint64_t moves_ = 0;  // counts servers: answers from an earlier one are ignored
    slots::owner_id owner_ = slots::nobody;
    bool was_here_ = false;
    std::optional<int> warmed_;  // slot for the first request
    std::string settings_;       // the options part of every request
    reply_machine machine_;
    const bool is_streamed_;
    bool performing_ = false;

    slots::ticket ticket_ = slots::no_ticket;
    slots::ticket warm_ticket_ = slots::no_ticket;
    completion_call request_;
    completion_call warming_;

    consumer_wait<next_chunk_completion> chunk_wait_;
    bool warned_of_id_ = false;
    consumer_wait<speech_completion> speech_wait_;
    std::uint32_t speech_seq_ = 0;  // of the chunk whose speech is requested
    consumer_wait<calls_completion> calls_wait_;
    server::call_id parsing_ = server::no_call;
    server::template_marks marks_;  // of the server's template
    std::function<void()> on_end_;
    // Empty once the reply has ended: the handle may outlive the execution context, but a timer may
    // not.
    std::optional<boost::asio::steady_timer> timer_;
    std::optional<time_point> timer_due_;
    std::atomic<bool> ended_{false};
};

}  // namespace tandem::detail

#pragma once

#include "loop/event_home.hpp"
#include "reply/completion_call.hpp"
#include "reply/machine/reply_machine.hpp"
#include "reply/machine/reply_wish.hpp"
#include "reply/reply_start.hpp"
#include "server/client_core.hpp"

#include "tandem/reply.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tandem::detail {

/// Carries out what a reply's machine decides. All functions but make(), link(), home(), id(),
/// ended(), result() and name_wait() run on the home's strand.
class reply_shell final : public std::enable_shared_from_this<reply_shell>, public home_tenant {
 public:
    /// Begins at once, where and from what `source` says.
    static std::shared_ptr<reply_shell> make(event_home& home, const config& rules, reply_wish wish,
                                             reply_source source,
                                             std::weak_ptr<reply_listener> listener = {},
                                             interrupt_count interrupts = nullptr);
    ~reply_shell();
    reply_shell(const reply_shell&) = delete;
    reply_shell& operator=(const reply_shell&) = delete;

    const std::shared_ptr<reply_link>& link() const noexcept { return link_; }
    event_home& home() const noexcept { return *home_; }
    std::uint64_t id() const noexcept { return machine_.id(); }
    /// Where it runs, or ran before it continued.
    const client_core* server() const noexcept { return core_.get(); }
    /// Text was generated.
    bool has_begun() const noexcept { return machine_.has_begun(); }
    bool ended() const noexcept { return ended_.load(std::memory_order_acquire); }
    const reply_result& result() const noexcept;
    /// A name for a wait for a chunk.
    std::uint64_t name_wait() noexcept { return ++last_wait_; }

    void next_chunk(std::uint64_t wait, next_chunk_completion handler);
    void cancel_next_chunk(std::uint64_t wait);
    void upcoming_speech(speech_completion handler);
    void continue_after(chunk_id id);
    void heard(chunk_id id, std::size_t characters);
    void heard_share(chunk_id id, double share);
    void interrupt();
    /// Interrupted, it is asked for the end instead of a chunk that it has handed over and that was
    /// not delivered.
    void complete_with_end(next_chunk_completion handler);
    /// Calls it when the reply has ended, in a turn of its own; never if it has ended already.
    void on_end(std::function<void()> told) { on_end_ = std::move(told); }
    void abandon(error_code ec, const diagnostics& diag);
    /// It continues elsewhere, if it can and should.
    void leave_server(reason_to_leave reason);
    void home_closed() override;
    void context_ended() noexcept override;

 private:
    reply_shell(event_home& home, const config& rules, reply_wish wish, reply_source source,
                std::weak_ptr<reply_listener> listener, interrupt_count interrupts);

    void start();
    void server_answered(failure why, reply_start where);
    void move_to(reply_start where);
    completion_call::handlers request_handlers();
    completion_call::handlers warming_handlers();
    void tell_failed(const completion_call& call, const failure& why);
    void want_slot();
    void want_warm_slot();
    slot_taker offered_to(bool (reply_shell::*take)(const slots::grant&));
    bool take_slot(const slots::grant& g);
    bool take_warm_slot(const slots::grant& g);
    void send(completion_call& call, int slot, int n_predict, const prompt_view& prompt);

    // Carries out actions until none is left, then arms the timer.
    void perform_actions();
    void perform(action::seek_server);
    void perform(action::check_ids);
    void after_hand_over(std::function<void(reply_shell&)> ask);
    void tokenize_prompt();
    void recover_tokens(const std::vector<std::string>& texts);
    bool left_unanswered(const error_code& ec, const diagnostics& diag);
    void perform(action::tokenize_prompt);
    void perform(action::recover_tokens a);
    void perform(action::want_slot a);
    void perform(action::raise_wish);
    void perform(action::forget_slot);
    void perform(action::send_request a);
    void perform(action::close_connection);
    void perform(action::release_slot a);
    void perform(action::leave_slots);
    void perform(action::want_warm_slot);
    void perform(action::forget_warm_slot);
    void perform(action::send_warming a);
    void perform(action::close_warming);
    void perform(action::hand_over a);
    void perform(action::tell_held_back a);
    void perform(action::tell_lost);
    void perform(action::tell_overtime a);
    void perform(action::tell_other_slot a);
    void perform(action::finish);
    void arm_timer();
    void give_end();
    void warn_of_unknown(chunk_id id);
    void tell_upcoming_speech();

    std::shared_ptr<event_home> home_;
    std::shared_ptr<reply_link> link_;
    std::weak_ptr<reply_listener> listener_;
    generation_options options_;
    reply_source source_;
    std::shared_ptr<client_core> core_;
    std::uint64_t moves_ = 0;  // answers of the server before are no answers of this one
    slots::owner_id owner_ = slots::nobody;
    int lease_ = 0;
    std::optional<int> warmed_;  // for the first request
    std::string settings_;       // what each request says of the options
    reply_machine machine_;
    bool performing_ = false;

    slots::ticket ticket_ = slots::no_ticket;
    slots::ticket warm_ticket_ = slots::no_ticket;
    completion_call request_;
    completion_call warming_;

    next_chunk_completion consumer_;
    std::uint64_t consumer_wait_ = 0;
    bool warned_of_id_ = false;
    std::uint64_t cancelled_wait_ = 0;  // whose cancellation came before it
    speech_completion speech_taker_;
    std::uint32_t speech_seq_ = 0;  // of the chunk that it asks for
    std::function<void()> on_end_;
    std::atomic<std::uint64_t> last_wait_{0};
    // While the reply runs: it belongs to the execution context, which the handle may outlive.
    std::optional<boost::asio::steady_timer> timer_;
    std::optional<time_point> timer_due_;
    std::atomic<bool> ended_{false};
};

}  // namespace tandem::detail

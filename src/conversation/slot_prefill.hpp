#pragma once

#include "reply/completion_call.hpp"
#include "reply/transcript/tokenized_text.hpp"
#include "slots/slot_scheduler.hpp"

#include "tandem/config.hpp"

#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace tandem::detail {

class server_link;

/// Evaluates the beginning of the next turn's prompt on a slot in advance, so that the turn starts
/// sooner. Destroying this object withdraws the slot request or cuts the prefill.
class slot_prefill : public std::enable_shared_from_this<slot_prefill> {
 public:
    /// The prompt is evaluated with the adapters in `lora`, which should be those of the next turn.
    slot_prefill(std::shared_ptr<server_link> link, prompt_with_ids prompt,
                 std::vector<adapter_scale> lora, slots::owner_id owner);
    ~slot_prefill();

    /// Receives the final event's token counts; nullopt if the prefill failed.
    using handler = std::function<void(std::optional<wire::timings>)>;
    /// Waits for a slot that no other request wants. The caller must call
    /// slot_manager::release_owner() for the owner afterwards.
    void start(handler done);
    /// Withdraws the slot request if it still waits.
    void stop_waiting();
    /// Makes way for a request that someone waits for: cuts the prefill if the server has not
    /// started it.
    void cancel_unless_begun();
    void on_context_destroyed() noexcept;

    /// The slot that holds the prompt, or is receiving it.
    std::optional<int> slot() const noexcept { return slot_; }
    const std::string& text() const noexcept { return prompt_.text; }
    /// Whether the prefill waits for its slot or runs; false once the link is shut down.
    bool is_in_progress() const noexcept;
    /// Whether a slot holds the prompt for the owner, or will hold it: there is no need to prefill
    /// it again.
    bool holds_prompt() const;
    bool holds_text(std::string_view text) const { return prompt_.text == text && holds_prompt(); }

 private:
    bool take_slot(const slots::grant& g);
    void send(int slot);
    void arm_limit(duration limit);
    void give_up();
    void read(const wire::token_event& event);
    void complete(std::optional<wire::timings> counts);
    void end_request(slots::release_info note, bool was_cut);

    std::shared_ptr<server_link> link_;
    prompt_with_ids prompt_;
    std::vector<adapter_scale> lora_;
    slots::owner_id owner_;
    handler done_;
    slots::ticket ticket_ = slots::no_ticket;
    std::optional<int> slot_;
    bool is_running_ = false;
    bool has_begun_ = false;
    boost::asio::steady_timer limit_;
    completion_call call_;
};

}  // namespace tandem::detail

#pragma once

#include "reply/completion_call.hpp"
#include "reply/machine/known_text.hpp"
#include "slots/slot_scheduler.hpp"

#include "tandem/config.hpp"

#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace tandem::detail {

class client_core;

/// One request that evaluates a prompt on a slot before anybody waits for it: the next turn
/// continues from there. Destroying it takes the wish back, or cuts the request.
class slot_prefill : public std::enable_shared_from_this<slot_prefill> {
 public:
    /// `lora` is that of the next turn, as far as known: the prompt is evaluated with it.
    slot_prefill(std::shared_ptr<client_core> core, known_prompt prompt,
                 std::vector<adapter_scale> lora, slots::owner_id owner);
    ~slot_prefill();

    /// Receives the number of evaluated tokens; nothing if it failed.
    using handler = std::function<void(std::optional<int>)>;
    /// Waits for a slot that nobody else wants. Who let the owner have it lets go of it.
    void start(handler done);
    /// Takes the wish back, if no slot was there yet.
    void stop_waiting();
    /// Somebody waits for the slot now: a request that the server has not begun is cut.
    void hurry();
    void context_ended() noexcept;

    /// The slot that holds the prompt, or is getting it.
    std::optional<int> slot() const noexcept { return slot_; }
    /// A slot holds that for the owner still, or is going to: asked for again it would do the same.
    bool serves(std::string_view text) const;

 private:
    bool take(const slots::grant& g);
    void send(int slot);
    void arm_limit(duration limit);
    void give_up();
    void read(const wire::token_event& event);
    void tell(std::optional<int> evaluated);
    void end(slots::release_note note, bool was_cut);

    std::shared_ptr<client_core> core_;
    known_prompt prompt_;
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

#pragma once

#include "base/time.hpp"
#include "reply/machine/reply_actions.hpp"

#include <optional>
#include <vector>

namespace tandem::detail {

/// Prefills the slot that comes next with the text so far, while the voice speaks: one small
/// request for each rest of the reply, which ends by itself. Pure; its actions go to the reply's.
class warming {
 public:
    /// `actions` must outlive it.
    warming(std::vector<action::any>& actions, bool erase_after_cut)
        : actions_(actions), erase_after_cut_(erase_after_cut) {}

    /// The reply rests, and what its next request sends is known, a text of so many bytes: asks for
    /// a slot, once a rest.
    void reply_rests(std::size_t text_bytes);
    /// The reply wants to continue, or has ended: a slot that was not given yet is not waited for.
    void give_up_waiting();
    /// The reply's next request was given a slot; the text will grow.
    void request_sent() noexcept;
    void slot_granted(time_point now, int slot);
    /// The server began it.
    void begun() noexcept { begun_ = true; }
    /// Its answer came whole.
    void answered();
    void failed();
    /// The slots of another server are the next ones.
    void forget() noexcept;
    /// A request that runs is cut: deadline() has come, or the reply has ended.
    void cut();

    bool is_waiting() const noexcept { return state_ == state::waiting; }
    bool is_running() const noexcept { return state_ == state::running; }
    /// The slot of the request. Precondition: is_running().
    int running_on() const noexcept { return *slot_; }
    /// When a request that runs is cut: at `limit`, or sooner if the server does not begin it. A
    /// continue may be waiting for it. Never while none runs.
    time_point deadline(duration limit) const;
    /// The slot that was prefilled with the text so far, or is being.
    std::optional<int> slot() const noexcept { return is_current_ ? slot_ : std::nullopt; }

 private:
    enum class state { idle, waiting, running };

    void release(action::release_slot how);

    std::vector<action::any>& actions_;
    bool erase_after_cut_;
    state state_ = state::idle;
    bool is_current_ = false;  // asked for with the text that the next request sends
    std::optional<int> slot_;
    std::size_t text_bytes_ = 0;
    bool begun_ = false;
    time_point since_{};
};

}  // namespace tandem::detail

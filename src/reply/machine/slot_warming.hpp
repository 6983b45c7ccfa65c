#pragma once

#include "base/time.hpp"
#include "reply/machine/reply_actions.hpp"

#include <optional>
#include <vector>

namespace tandem::detail {

/// Prefills the next slot with the text so far while the voice speaks, by one small request in each
/// pause of the reply. The request ends by itself. Pure; its actions are appended to those of the
/// reply.
class slot_warming {
 public:
    /// `actions` must outlive this object.
    slot_warming(std::vector<action::any_action>& actions, bool erase_after_cut)
        : actions_(actions), erase_after_cut_(erase_after_cut) {}

    /// Whether the server has a slot to prefill; initially false.
    void set_enabled(bool enabled) noexcept { is_enabled_ = enabled; }
    /// The reply is paused and the text of its next request (`text_bytes` long) is known. Requests
    /// a slot, at most once per pause.
    void on_reply_paused(std::size_t text_bytes);
    /// The reply wants to continue, or has ended: withdraws a slot request that was not granted
    /// yet.
    void stop_waiting_for_slot();
    /// The reply's next request was granted a slot, so the text will grow.
    void on_next_request_granted() noexcept;
    void on_slot_granted(time_point now, int slot);
    /// The server started the request.
    void on_started() noexcept { begun_ = true; }
    /// The answer is complete.
    void on_answered();
    void on_failed();
    /// The next slots belong to another server.
    void drop_warmed_slot() noexcept;
    /// Cuts the running request: deadline() has passed, or the reply has ended.
    void cut();

    bool is_waiting() const noexcept { return state_ == state::waiting; }
    bool is_running() const noexcept { return state_ == state::running; }
    /// The slot of the running request. Precondition: is_running().
    int running_slot() const noexcept { return *slot_; }
    /// When to cut the running request, because a continue may be waiting for it: at `limit`, or
    /// sooner if the server does not start the request. `never` if no request runs.
    time_point deadline(duration limit) const;
    /// The slot that was or is being prefilled with the text so far.
    std::optional<int> slot() const noexcept { return is_current_ ? slot_ : std::nullopt; }

 private:
    enum class state { idle, waiting, running };

    void release(action::release_slot how);

    std::vector<action::any_action>& actions_;
    bool erase_after_cut_;
    bool is_enabled_ = false;
    state state_ = state::idle;
    bool is_current_ = false;  // slot_ is for the text of the next request
    std::optional<int> slot_;
    std::size_t text_bytes_ = 0;
    bool begun_ = false;
    time_point since_{};
};

}  // namespace tandem::detail

#include "reply/machine/slot_warming.hpp"

#include "reply/machine/server_timing.hpp"

#include <algorithm>
#include <utility>

namespace tandem::detail {

void slot_warming::on_reply_paused(std::size_t text_bytes) {
    // A request of the previous pause may still be running; its slot must be returned first.
    if (!is_enabled_ || is_current_ || state_ != state::idle) return;
    is_current_ = true;
    text_bytes_ = text_bytes;
    slot_.reset();
    state_ = state::waiting;
    actions_.push_back(action::request_warm_slot{});
}

void slot_warming::stop_waiting_for_slot() {
    if (state_ != state::waiting) return;
    state_ = state::idle;
    actions_.push_back(action::cancel_warm_slot_request{});
}

void slot_warming::on_next_request_granted() noexcept {
    is_current_ = false;
}

void slot_warming::drop_warmed_slot() noexcept {
    is_current_ = false;
    slot_.reset();
}

void slot_warming::on_slot_granted(time_point now, int slot) {
    state_ = state::running;
    slot_ = slot;
    since_ = now;
    begun_ = false;
    actions_.push_back(action::send_warming_request{slot});
}

// A request that ended by itself does not count as a use of its slot, because the guard applies
// only to cut requests.
void slot_warming::on_answered() {
    release({.note = {.is_use = false}, .holds_bytes = text_bytes_});
}

void slot_warming::on_failed() {
    release({});
    slot_.reset();
}

void slot_warming::cut() {
    release({.note = {.server_state = slots::server_slot_state::maybe_busy},
             .was_cut = true,
             .erase = erase_after_cut_});
    slot_.reset();
}

time_point slot_warming::deadline(duration limit) const {
    if (!is_running()) return never;
    // A continue may have to wait for this request, so a request that the server holds back is cut
    // soon.
    return since_ + (begun_ ? limit : std::min(limit, late_start_threshold));
}

void slot_warming::release(action::release_slot how) {
    if (!is_running()) return;
    state_ = state::idle;
    how.slot = *slot_;
    actions_.push_back(action::close_warming_connection{});
    actions_.push_back(std::move(how));
}

}  // namespace tandem::detail

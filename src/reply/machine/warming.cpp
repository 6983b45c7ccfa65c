#include "reply/machine/warming.hpp"

#include "reply/machine/server_pace.hpp"

#include <algorithm>

namespace tandem::detail {

void warming::reply_rests(std::size_t text_bytes) {
    // A request of the rest before may still run: its slot must be given back first.
    if (is_current_ || state_ != state::idle) return;
    is_current_ = true;
    text_bytes_ = text_bytes;
    slot_.reset();
    state_ = state::waiting;
    actions_.push_back(action::want_warm_slot{});
}

void warming::give_up_waiting() {
    if (state_ != state::waiting) return;
    state_ = state::idle;
    actions_.push_back(action::forget_warm_slot{});
}

void warming::request_sent() noexcept {
    is_current_ = false;
}

void warming::forget() noexcept {
    is_current_ = false;
    slot_.reset();
}

void warming::slot_granted(time_point now, int slot) {
    state_ = state::running;
    slot_ = slot;
    since_ = now;
    begun_ = false;
    actions_.push_back(action::send_warming{slot});
}

// A request that ended by itself is no use of its slot: the guard is for those that were broken
// off.
void warming::answered() {
    release({.is_use = false, .holds_bytes = text_bytes_});
}

void warming::failed() {
    release({});
    slot_.reset();
}

void warming::cut() {
    release({.side = slots::server_side::maybe_busy, .cut = true, .erase = erase_after_cut_});
    slot_.reset();
}

time_point warming::deadline(duration limit) const {
    if (!is_running()) return never;
    // What the server holds back would hold up the continue that waits for it.
    return since_ + (begun_ ? limit : std::min(limit, late_beginning));
}

void warming::release(action::release_slot how) {
    if (!is_running()) return;
    state_ = state::idle;
    how.slot = *slot_;
    actions_.push_back(action::close_warming{});
    actions_.push_back(how);
}

}  // namespace tandem::detail

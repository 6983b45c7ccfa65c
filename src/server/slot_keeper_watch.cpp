// The part of slot_keeper that looks at /slots after cuts.
#include "loop/clock.hpp"
#include "server/client_core.hpp"
#include "server/slot_keeper.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tandem::detail {
namespace {

// What a server answers that does not have /slots, or not for us.
constexpr std::array no_slots{errc::not_supported, errc::unauthorized, errc::bad_request,
                              errc::bad_response};

}  // namespace

// --- cuts that are verified

// Only a client that has reached the server and has requests there looks at the slots. Another one
// may lack access to /slots, or would keep its own idle loop running.
std::optional<time_point> slot_keeper::next_look() const {
    const auto room = room_->lock();
    const auto is_own = [this](const auto& entry) { return entry.second.keeper == this; };
    const bool has_some =
        std::ranges::any_of(room->wishes, is_own) || std::ranges::any_of(room->when_idle, is_own) ||
        std::ranges::any_of(room->uses, [this](const auto& use) { return use.second == this; });
    return has_some && core_.has_met_server() ? room->next_look() : std::nullopt;
}

void slot_keeper::arm_watch() {
    const auto due = next_look();
    if (!due) return void(watch_timer_->cancel());
    watch_timer_->expires_at(*due);
    watch_timer_->async_wait([this, weak = core_.weak_from_this()](error_code ec) {
        if (const auto core = weak.lock(); core && !ec) look();
    });
}

// The timer may have been set again just when it ran out, and another loop may look.
bool slot_keeper::begin_look() {
    const auto room = room_->lock();
    const auto due = room->next_look();
    if (core_.shut_down() || !due || *due > now()) return false;
    room->watch->look_begun(now());
    room->looker = this;
    return true;
}

void slot_keeper::look() {
    if (!begin_look()) return;
    core_.calls().slots(
        [this](error_code ec, const diagnostics& diag, const std::vector<slot_state>& states) {
            looked(ec, diag, states);
        });
}

void slot_keeper::looked(const error_code& ec, const diagnostics& diag,
                         const std::vector<slot_state>& states) {
    if (core_.shut_down()) return;
    const auto core = core_.shared_from_this();
    const bool knows_none = std::ranges::find(no_slots, ec) != no_slots.end();
    if (ec)
        core_.log(knows_none ? log_level::warning : log_level::debug, "verify_cut: {}{}",
                  knows_none ? "cuts are not verified: " : "", diag.to_string());
    if (!ec) look_for_strangers(states);
    for (const auto& n : take_answer(ec, states)) log_news(n);
    give();
}

std::vector<slots::release_news> slot_keeper::take_answer(const error_code& ec,
                                                          const std::vector<slot_state>& states) {
    const auto room = room_->lock();
    room->looker = nullptr;
    if (!room->watch) return {};
    const bool gives_up = std::ranges::find(no_slots, ec) != no_slots.end();
    auto news = !ec        ? room->watch->answered(states, now())
                : gives_up ? room->watch->give_up(now())
                           : room->watch->failed(now());
    if (gives_up) room->watch.reset();
    room->take_news(news);
    for (const auto& n : news)
        if (n.side == slots::server_side::idle) tell_idle(*room, n);
    return news;
}

void slot_keeper::look_for_strangers(const std::vector<slot_state>& states) {
    const auto slot = room_->lock()->find_stranger(states);
    if (!slot) return;
    core_.log(
        log_level::warning,
        "slot {}: works on a request that is not of this process: somebody else uses {}, too, "
        "and shares neither slots nor reuse guard",
        *slot, core_.shown_url());
}

// On the loop whose request it was.
void slot_keeper::tell_idle(slot_room& room, const slots::release_news& n) {
    const auto found = room.when_idle.extract(n.slot);
    if (!found || !found.mapped().told) return;
    found.mapped().keeper->post([told = std::move(found.mapped().told),
                                 since_cut = n.since_cut](slot_keeper&) { told(since_cut); });
}

void slot_keeper::log_news(const slots::release_news& n) const {
    const double seconds = to_ms(n.since_cut) / 1000;
    if (n.side == slots::server_side::busy)
        core_.log(log_level::warning,
                  "slot {}: still busy at the server {:.1f} s after its request was cut; set aside "
                  "until it is idle",
                  n.slot, seconds);
    else if (!n.was_stuck)
        core_.log(log_level::debug, "slot {}: idle {:.0f} ms after the cut", n.slot,
                  to_ms(n.since_cut));
    else if (n.side == slots::server_side::idle)
        core_.log(log_level::info, "slot {}: idle {:.1f} s after the cut; used again", n.slot,
                  seconds);
    else
        core_.log(log_level::info,
                  "slot {}: used again, as the server does not tell whether it is "
                  "idle",
                  n.slot);
}

}  // namespace tandem::detail

// The part of slot_manager that polls /slots after cuts.
#include "loop/clock.hpp"
#include "server/server_link.hpp"
#include "server/slot_manager.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tandem::detail {
namespace {

// Errors from a server that has no /slots, or denies access to it.
constexpr std::array no_slots{errc::not_supported, errc::unauthorized, errc::bad_request,
                              errc::bad_response};

}  // namespace

// --- verification of cuts

// Polls only if this client has reached the server and has requests there. Another client may lack
// access to /slots, or its polls would keep an idle loop running.
std::optional<time_point> slot_manager::next_poll_at() const {
    const auto table = table_->lock();
    const auto is_own = [this](const auto& entry) { return entry.second.manager == this; };
    const bool has_some = std::ranges::any_of(table->requests_by_ticket, is_own) ||
                          std::ranges::any_of(table->when_idle, is_own) ||
                          std::ranges::any_of(table->managers_by_slot, [this](const auto& use) {
                              return use.second == this;
                          });
    return has_some && link_.has_read_props() ? table->next_poll_at() : std::nullopt;
}

void slot_manager::arm_poll_timer() {
    const auto due = next_poll_at();
    if (!due) return void(watch_timer_->cancel());
    watch_timer_->expires_at(*due);
    watch_timer_->async_wait([this, weak = link_.weak_from_this()](error_code ec) {
        if (const auto link = weak.lock(); link && !ec) poll_slots();
    });
}

// Returns false if no poll is due: the timer may have been armed again just as it expired, or
// another loop may be polling.
bool slot_manager::begin_poll() {
    const auto table = table_->lock();
    const auto due = table->next_poll_at();
    if (link_.is_shut_down() || !due || *due > now()) return false;
    table->release_monitor->on_poll_started(now());
    table->poller = this;
    return true;
}

void slot_manager::poll_slots() {
    if (!begin_poll()) return;
    link_.calls().slots(
        [this](error_code ec, const diagnostics& diag, const std::vector<slot_state>& states) {
            on_poll_result(ec, diag, states);
        });
}

void slot_manager::on_poll_result(const error_code& ec, const diagnostics& diag,
                                  const std::vector<slot_state>& states) {
    const auto link = link_.shared_from_this();
    const bool lacks_slots = std::ranges::find(no_slots, ec) != no_slots.end();
    if (ec && !link_.is_shut_down())
        link_.log(lacks_slots ? log_level::warning : log_level::debug, "verify_cut: {}{}",
                  lacks_slots ? "cuts are not verified: " : "", diag.to_string());
    if (!ec) detect_foreign_use(states);
    for (const auto& n : apply_poll_result(ec, states)) log_release_report(n);
    dispatch_grants();
}

std::vector<slots::release_report> slot_manager::apply_poll_result(
    const error_code& ec, const std::vector<slot_state>& states) {
    const auto table = table_->lock();
    table->poller = nullptr;
    if (!table->release_monitor) return {};
    const bool gives_up = std::ranges::find(no_slots, ec) != no_slots.end();
    auto news = !ec        ? table->release_monitor->record_poll_result(states, now())
                : gives_up ? table->release_monitor->give_up(now())
                           : table->release_monitor->record_poll_failure(now());
    if (gives_up) table->release_monitor.reset();
    table->apply_release_reports(news);
    for (const auto& n : news)
        if (n.side == slots::server_slot_state::idle) notify_idle(*table, n);
    // Another manager must continue the polls.
    if (link_.is_shut_down()) wake_waiting_managers(*table);
    return news;
}

void slot_manager::detect_foreign_use(const std::vector<slot_state>& states) {
    const auto slot = table_->lock()->find_foreign_use(states);
    if (!slot) return;
    link_.log(log_level::warning,
              "slot {}: busy with a request that is not from this process: another client uses {}, "
              "and does not share slots or the reuse guard",
              *slot, link_.shown_url());
}

// Calls the handler on the loop of the cut request.
void slot_manager::notify_idle(slot_table& table, const slots::release_report& n) {
    const auto found = table.when_idle.extract(n.slot);
    if (!found || !found.mapped().on_idle) return;
    found.mapped().manager->post([on_idle = std::move(found.mapped().on_idle),
                                  since_cut = n.since_cut](slot_manager&) { on_idle(since_cut); });
}

void slot_manager::log_release_report(const slots::release_report& n) const {
    const double seconds = to_ms(n.since_cut) / 1000;
    if (n.side == slots::server_slot_state::busy)
        link_.log(log_level::warning,
                  "slot {}: still busy at the server {:.1f} s after its request was cut; not used "
                  "until it is idle",
                  n.slot, seconds);
    else if (!n.was_stuck)
        link_.log(log_level::debug, "slot {}: idle {:.0f} ms after the cut", n.slot,
                  to_ms(n.since_cut));
    else if (n.side == slots::server_slot_state::idle)
        link_.log(log_level::info, "slot {}: idle {:.1f} s after the cut; used again", n.slot,
                  seconds);
    else
        link_.log(log_level::info,
                  "slot {}: used again, because the server does not report whether it is idle",
                  n.slot);
}

}  // namespace tandem::detail

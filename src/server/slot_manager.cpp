#include "server/slot_manager.hpp"

#include "loop/clock.hpp"
#include "server/server_link.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace tandem::detail {

slot_manager::slot_manager(server_link& link, shared_slot_table table)
    : link_(link),
      table_(std::move(table)),
      timer_(std::in_place, link.executor()),
      watch_timer_(std::in_place, link.executor()) {}

void slot_manager::register_self() {
    const auto table = table_->lock();
    table->managers.emplace(this, std::nullopt);
    // The new user may have raised the number of slots.
    wake_waiting_managers(*table);
}

slot_manager::~slot_manager() {
    unregister_self();
}

// Never calls `f` inline, even if both loops are strands of one context, because the caller may
// hold the table's lock.
void slot_manager::post(std::function<void(slot_manager&)> f) {
    boost::asio::post(link_.executor(),
                      [weak = link_.weak_from_this(), f = std::move(f)]() mutable {
                          if (const auto link = weak.lock()) f(link->slots());
                      });
}

// Posts only to managers with waiting requests, because an idle client's loop may never run
// again.
void slot_manager::wake_waiting_managers(const slot_table& table) {
    std::set<slot_manager*> waiting;
    for (const auto& [ticket, wish] : table.requests_by_ticket) waiting.insert(wish.manager);
    for (auto* const manager : waiting) manager->post([](slot_manager& m) { m.dispatch_grants(); });
}

void slot_manager::unregister_self() noexcept {
    const auto table = table_->lock();
    if (table->managers.erase(this) == 0) return;
    for (const auto& [ticket, wish] : table->requests_by_ticket)
        if (wish.manager == this) table->scheduler.withdraw(ticket);
    for (const auto& [slot, manager] : table->managers_by_slot)
        if (manager == this) {
            table->last_use = table->last_ends[slot] = now();
            table->scheduler.release(slot, now(),
                                     {.server_state = slots::server_slot_state::maybe_busy});
        }
    for (const auto& [owner, manager] : table->owners)
        if (manager == this) table->scheduler.release_owner(owner);
    const auto is_own = [this](const auto& entry) { return entry.second == this; };
    std::erase_if(table->requests_by_ticket,
                  [this](const auto& w) { return w.second.manager == this; });
    std::erase_if(table->managers_by_slot, is_own);
    std::erase_if(table->owners, is_own);
    std::erase_if(table->when_idle, [this](const auto& w) { return w.second.manager == this; });
    if (table->poller == this && table->release_monitor)
        table->apply_release_reports(table->release_monitor->record_poll_failure(now()));
    if (table->poller == this) table->poller = nullptr;
    wake_waiting_managers(*table);
}

slots::owner_id slot_manager::to_shared_owner_id(slots::owner_id owner) const {
    return owner == slots::nobody ? slots::nobody : link_.scope().make_process_unique_id(owner);
}

slots::ticket slot_manager::enqueue(slots::slot_request w, grant_handler handler) {
    queued_request who{std::move(handler), w.kind == slots::request_kind::background};
    w.owner = to_shared_owner_id(w.owner);
    const auto owner = w.owner;
    const auto table = table_->lock();
    if (!table->managers.contains(this)) return slots::no_ticket;
    if (owner != slots::nobody) table->owners[owner] = this;
    const auto t = table->scheduler.request(std::move(w));
    if (t == slots::no_ticket) return t;
    table->requests_by_ticket.emplace(t, slot_table::request_owner{this, owner});
    waiting_.emplace(t, std::move(who));
    return t;
}

void slot_manager::dispatch_grants() {
    if (link_.is_shut_down() || link_.scope().is_closed()) return;
    // A handler may destroy the last reply, and with it the client.
    const auto link = link_.shared_from_this();
    // Repeats, because a slot that its handler declines is free for the next ticket.
    for (auto given = take_grants(); !given.empty(); given = take_grants())
        for (const auto& g : given) erase_and_deliver(g);
    arm_timer();
    arm_poll_timer();
    const auto on_change = table_->lock()->on_change;
    if (on_change) on_change();
}

// Grants for other loops are posted to those loops. Whether a slot must be erased is decided here,
// because an isolated owner may have left by the time the post runs.
auto slot_manager::take_grants() -> std::vector<granted> {
    const auto table = table_->lock();
    std::vector<granted> own;
    for (const auto& g : table->scheduler.take_grants(now())) {
        const auto wish = table->requests_by_ticket.extract(g.ticket).mapped();
        const granted given{g, table->must_be_erased(g, wish.owner)};
        table->managers_by_slot[g.slot] = wish.manager;
        if (wish.manager == this)
            own.push_back(given);
        else
            wish.manager->post([given](slot_manager& m) {
                m.erase_and_deliver(given);
                m.dispatch_grants();
            });
    }
    return own;
}

void slot_manager::erase_and_deliver(const granted& given) {
    const auto& g = given.grant;
    // This manager may have left the table since the grant.
    if (!table_->lock()->is_used_by(g.slot, *this)) return;
    if (!given.must_be_erased) return deliver_grant(g);
    erase_slot(g.slot, [this, g] {
        table_->lock()->forget_gone_owner(g.previous);
        deliver_grant(g);
        dispatch_grants();
    });
}

void slot_manager::log_guard_wait(const slots::grant& g, bool is_warming) {
    // A prefill delays nobody, so its wait needs no advice.
    const auto advice =
        is_warming ? std::string() : table_->lock()->known.take_guard_advice(g.guard_wait);
    link_.log(is_warming ? log_level::debug : log_level::warning,
              "slot {}: reuse guard, waited {:.0f} ms{}", g.slot, to_ms(g.guard_wait), advice);
}

void slot_manager::deliver_grant(const slots::grant& g) {
    // Keeps the handler in the map: it may own the waiting reply, which ends when it leaves the
    // server.
    if (link_.is_shut_down()) return return_unused_slot(g.slot);
    // A request that was withdrawn after the grant is no longer in the map.
    const auto found = waiting_.extract(g.ticket);
    if (found && g.guard_wait > duration{}) log_guard_wait(g, found.mapped().is_warming);
    if (!found || !found.mapped().handler(g)) return return_unused_slot(g.slot);
    const auto table = table_->lock();
    // The handler may already have returned the slot.
    if (table->release_monitor && table->is_used_by(g.slot, *this))
        table->release_monitor->on_granted(g.slot, now());
}

// Returns a slot on which no request ran.
void slot_manager::return_unused_slot(int slot) {
    const auto table = table_->lock();
    if (!table->is_used_by(slot, *this)) return;
    table->managers_by_slot.erase(slot);
    table->scheduler.release(slot, now(), {.has_run = false});
    if (link_.is_shut_down()) wake_waiting_managers(*table);
}

// --- isolation of owners

/// Precondition: the slot is in use.
void slot_manager::erase_slot(int slot, std::function<void()> then) {
    link_.calls().erase_slot(
        slot, [this, slot, then = std::move(then)](error_code ec, const diagnostics& diag) {
            const auto link = link_.shared_from_this();
            if (ec) log_erase_failure(slot, diag);
            if (const auto table = table_->lock(); ec)
                table->foreign.insert(slot);
            else
                table->scheduler.forget_contents(slot);
            then();
        });
}

// Occupies the idle slots of an owner that has left, and returns them, to be erased now. A busy
// slot is erased before its next use.
std::vector<int> slot_manager::occupy_slots_of(slots::owner_id owner) {
    const auto table = table_->lock();
    table->isolated[owner] = owner_presence::has_left;
    auto idle = table->scheduler.slots_used_by(owner);
    std::erase_if(idle, [&](int slot) { return table->scheduler.is_busy(slot); });
    for (const int slot : idle) {
        table->scheduler.occupy(slot);
        table->managers_by_slot[slot] = this;
    }
    table->forget_gone_owner(owner);
    return idle;
}

void slot_manager::erase_slots_of(slots::owner_id owner) {
    for (const int slot : occupy_slots_of(owner))
        erase_slot(slot, [this, slot, owner] {
            return_unused_slot(slot);
            table_->lock()->forget_gone_owner(owner);
            dispatch_grants();
        });
}

void slot_manager::log_erase_failure(int slot, const diagnostics& diag) {
    const bool first = !std::exchange(table_->lock()->erase_warned, true);
    link_.log(first ? log_level::warning : log_level::debug, "slot {}: not erased: {}", slot,
              diag.to_string());
}

void slot_manager::release_owner(slots::owner_id owner) {
    {
        const auto table = table_->lock();
        table->owners.erase(to_shared_owner_id(owner));
        table->scheduler.release_owner(to_shared_owner_id(owner));
    }
    dispatch_grants();
}

bool slot_manager::still_belongs_to(int slot, slots::owner_id owner) const {
    const auto used = table_->lock()->scheduler.slots_used_by(to_shared_owner_id(owner));
    return std::ranges::find(used, slot) != used.end();
}

void slot_manager::retire_owner(slots::owner_id owner) {
    owner = to_shared_owner_id(owner);
    const bool is_isolated = table_->lock()->isolated.contains(owner);
    if (is_isolated) erase_slots_of(owner);
    {
        const auto table = table_->lock();
        table->owners.erase(owner);
        table->scheduler.retire_owner(owner);
    }
    dispatch_grants();
}

duration slot_manager::cancel_request(slots::ticket t) {
    const auto guarded = withdraw(t);
    waiting_.erase(t);
    dispatch_grants();
    return guarded;
}

duration slot_manager::withdraw(slots::ticket t) {
    const auto table = table_->lock();
    const auto guarded = table->scheduler.guard_wait(t, now());
    table->scheduler.withdraw(t);
    table->requests_by_ticket.erase(t);
    return guarded;
}

// Dispatches grants, because a continuation that becomes urgent may use a slot that is kept for
// turns.
void slot_manager::set_due(slots::ticket t, time_point due) {
    table_->lock()->scheduler.set_due(t, due);
    dispatch_grants();
}

void slot_manager::record_progress(int slot, const slots::generated_so_far& g) {
    table_->lock()->scheduler.record_progress(slot, g, now());
}

bool slot_manager::should_yield_slot(int slot, time_point due) const {
    return table_->lock()->scheduler.should_yield_slot(slot, due, now());
}

void slot_manager::log_wait(std::uint64_t reply, slots::ticket t) const {
    const auto why = table_->lock()->scheduler.find_wait_reason(t, now());
    if (why) link_.log(log_level::info, "reply {}: {}", reply, slots::describe_wait(*why));
}

void slot_manager::release(int slot, slots::release_info note, bool erase, bool was_cut,
                           std::function<void(duration)> when_idle) {
    ended_use use{slot, std::move(note), now(), was_cut, std::move(when_idle)};
    if (!erase || link_.is_shut_down()) return return_used_slot(std::move(use));
    link_.calls().erase_slot(slot,
                             [this, use = std::move(use)](error_code ec, const diagnostics& diag) {
                                 on_erased(use, ec, diag);
                             });
}

// The server erases a slot only when it is idle, so erasing it also proves that the cut has taken
// effect.
void slot_manager::on_erased(const ended_use& use, const error_code& ec, const diagnostics& diag) {
    const auto link = link_.shared_from_this();
    if (!ec) {
        const bool is_watching = table_->lock()->release_monitor.has_value();
        if (is_watching && use.was_cut && use.when_idle) use.when_idle(now() - use.at);
        return return_used_slot(
            {.slot = use.slot, .note = {.is_use = use.note.is_use}, .at = use.at});
    }
    log_erase_failure(use.slot, diag);
    return_used_slot(use);
}

void slot_manager::return_used_slot(ended_use use) {
    {
        const auto table = table_->lock();
        if (!table->is_used_by(use.slot, *this)) return;
        table->managers_by_slot.erase(use.slot);
        table->foreign.erase(use.slot);
        table->last_use = table->last_ends[use.slot] = now();
        if (table->release_monitor && use.was_cut) {
            use.note.server_state =
                table->release_monitor->record_cut(use.slot, use.at, use.note.server_state);
            table->when_idle[use.slot] = {this, std::move(use.when_idle)};
        }
        table->scheduler.release(use.slot, table->last_use, std::move(use.note));
        // This manager grants nothing more, but other managers may use the slot.
        if (link_.is_shut_down()) wake_waiting_managers(*table);
    }
    dispatch_grants();
}

std::vector<log_line> slot_manager::store_props(const server_props& props) {
    std::vector<log_line> lines;
    {
        const auto table = table_->lock();
        lines = table->known.store_props(props);
        table->apply_server_limits();
    }
    dispatch_grants();
    return lines;
}

std::vector<log_line> slot_manager::report_slot_mismatch(int asked, int used) {
    std::vector<log_line> lines;
    {
        const auto table = table_->lock();
        lines = table->known.report_slot_mismatch(asked, used);
        table->apply_server_limits();
    }
    dispatch_grants();
    return lines;
}

void slot_manager::on_request_failed(const error_code& ec) {
    {
        const auto table = table_->lock();
        table->known.on_request_failed(ec);
        table->apply_server_limits();
    }
    dispatch_grants();
}

void slot_manager::stop() {
    timer_->cancel();
    watch_timer_->cancel();
}

void slot_manager::on_context_destroyed() noexcept {
    unregister_self();
    waiting_.clear();
    timer_.reset();
    watch_timer_.reset();
}

// Each loop wakes up for its own requests, because another loop may be busy or ending.
void slot_manager::arm_timer() {
    const auto due = schedule_wakeups();
    // A timer that nothing waits for would keep the event loop busy.
    if (!due) return void(timer_->cancel());
    timer_->expires_at(*due);
    timer_->async_wait([this, weak = link_.weak_from_this()](error_code ec) {
        if (const auto link = weak.lock(); link && !ec) dispatch_grants();
    });
}

// Wakes managers whose next grant is due sooner than they know, and returns when that of this one
// is due.
std::optional<time_point> slot_manager::schedule_wakeups() {
    const auto table = table_->lock();
    std::map<slot_manager*, time_point> first;
    for (const auto& due : table->scheduler.due_grants()) {
        const auto at =
            first.emplace(table->requests_by_ticket.at(due.ticket).manager, due.at).first;
        at->second = std::min(at->second, due.at);
    }
    const auto own = table->managers.find(this);
    if (own == table->managers.end()) return std::nullopt;
    own->second.reset();
    for (const auto& [manager, at] : first) {
        auto& alarm = table->managers.at(manager);
        if (alarm && *alarm <= at) continue;
        alarm = at;
        if (manager != this) manager->post([](slot_manager& m) { m.dispatch_grants(); });
    }
    return own->second;
}

}  // namespace tandem::detail

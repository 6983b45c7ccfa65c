#include "cluster/slot_share.hpp"

namespace tandem::cluster {
namespace {

// Other gateways may take a gateway's slots this long after its lease has ended. Until then, a poll
// can show only the gateway's own tasks.
constexpr duration own_use_is_seen_within = std::chrono::seconds(1);
// A missing gateway takes slots of other gateways only once they all know that it is missing: the
// store waits a second longer for the missing gateway, and the others ask the store every half
// second.
constexpr duration others_know_within = std::chrono::milliseconds(1500);
// A later answer is out of date, because this process was suspended in the meantime.
constexpr duration poll_is_valid_for = std::chrono::milliseconds(500);
// After this time, each gateway with a lease has sent its loans to the store.
constexpr duration records_are_right_after = std::chrono::seconds(3);
constexpr duration failed_poll_interval = std::chrono::seconds(1);
// A wish that becomes more urgent by this much is sent again immediately.
constexpr duration notable_change = std::chrono::milliseconds(100);

bool is_more_urgent(const slots::slot_shortage& a, const slots::slot_shortage& b) {
    return a.due < b.due - notable_change ||
           (a.kind == slots::request_kind::turn && b.kind != slots::request_kind::turn);
}

}  // namespace

void slot_share::update(time_point now, local_slots here) {
    here_ = std::move(here);
    if (!here_.shortage)
        short_since_.reset();
    else if (!short_since_)
        short_since_ = now;
    drop_old_wishes(now);
    if (is_leaving_) return return_idle_slots(now);
    if (!trusts_store(now))
        mark_all_unsure(now);
    else if (!can_poll_)
        bring_slots_by_record(now);
    else if (is_one_missing_)
        mark_unused_unsure(now);
    if (needs_claim(now)) send_claim(now);
    if (!needs_poll(now)) return;
    is_polling_ = true;
    polled_at_ = now;
    actions_.push_back(share_action::poll{});
}

void slot_share::return_idle_slots(time_point now) {
    if (offer_again_at_ && now < *offer_again_at_) return;
    offer_again_at_.reset();
    for (auto& [slot, h] : held_) {
        if (h.stage == stage::offered || local_slot(slot).is_busy) continue;
        if (h.stage == stage::here) actions_.push_back(share_action::send_away{slot});
        h.stage = stage::offered;
        actions_.push_back(share_action::offer{{slot, h.number, unused_for(now, slot)}});
    }
}

auto slot_share::local_slot(int slot) const -> const local_slots::slot& {
    static const local_slots::slot unknown{};
    const auto place = static_cast<std::size_t>(slot);
    return place < here_.slots.size() ? here_.slots[place] : unknown;
}

std::optional<duration> slot_share::unused_for(time_point now, int slot) const {
    const auto used = local_slot(slot).last_used;
    return used ? std::optional(now - *used) : std::nullopt;
}

// --- without the store

void slot_share::distrust_store(time_point now) {
    is_agreed_ = false;
    running_claim_.reset();
    claimed_at_.reset();
    mark_all_unsure(now);
}

// A running request continues. The request's slot still needs a poll before the next request,
// because this process may be suspended before it notices the end of the running request.
void slot_share::mark_all_unsure(time_point now) {
    for (auto& [slot, h] : held_)
        if (h.stage == stage::here) send_away(now, slot, h);
    for (const auto& [gateway, until] : wishes_)
        actions_.push_back(share_action::withdraw_wish{gateway});
    wishes_.clear();
}

// A gateway without a connection to the store may have taken these slots.
void slot_share::mark_unused_unsure(time_point now) {
    const auto since = now - quiet_time_of_server();
    for (auto& [slot, h] : held_) {
        if (h.stage != stage::here || local_slot(slot).is_busy) continue;
        if (local_slot(slot).last_used.value_or(since) <= since) send_away(now, slot, h);
    }
}

void slot_share::send_away(time_point now, int slot, held_slot& h) {
    mark_unsure(now, h);
    actions_.push_back(share_action::send_away{slot});
}

void slot_share::mark_unsure(time_point now, held_slot& h) noexcept {
    h.stage = stage::unsure;
    h.unsure_since = now;
    h.own_task.reset();
    h.awaits_own_task = true;
}

void slot_share::on_poll_answer(time_point now,
                                const std::optional<std::vector<tandem::slot_state>>& states) {
    is_polling_ = false;
    can_poll_ = states.has_value();
    if (!states || now > *polled_at_ + poll_is_valid_for) return;
    activity_.record_poll(now, *states);
    learn_own_tasks(now);
    bring_usable_slots(now);
    if (now >= lease_until_ + others_know_within && here_.shortage) borrow_from_server(now);
}

void slot_share::learn_own_tasks(time_point now) {
    for (auto& [slot, h] : held_) {
        if (!h.awaits_own_task || !activity_.unused_since(slot)) continue;
        h.awaits_own_task = false;
        const auto own_until =
            std::max(lease_until_, local_slot(slot).last_used.value_or(lease_until_));
        if (now < own_until + own_use_is_seen_within) h.own_task = activity_.last_task(slot);
    }
}

bool slot_share::is_untouched(int slot, const held_slot& h) const {
    return h.own_task && activity_.unused_since(slot) && activity_.last_task(slot) == h.own_task;
}

bool slot_share::is_quiet(time_point now, int slot) const {
    const auto since = activity_.unused_since(slot);
    return since && now - *since >= quiet_time_of_server();
}

bool slot_share::is_guarded(time_point now, int slot) const {
    const auto used = local_slot(slot).last_used;
    return used && now < *used + here_.reuse_guard;
}

// If each use needs a separate poll, brings back only the slot that is needed now.
void slot_share::bring_usable_slots(time_point now) {
    for (auto& [slot, h] : held_) {
        if (h.stage != stage::unsure || h.awaits_own_task) continue;
        if (local_slot(slot).is_busy || is_guarded(now, slot)) continue;
        if (!is_untouched(slot, h) && !is_quiet(now, slot)) continue;
        if (must_poll_before_use(now) && !has_demand()) return;
        bring_back(slot, h);
        if (must_poll_before_use(now)) return here_.shortage.reset();
    }
}

void slot_share::bring_slots_by_record(time_point now) {
    for (auto& [slot, h] : held_) {
        if (h.stage != stage::unsure || now < h.unsure_since + records_are_right_after) continue;
        h.own_task.reset();
        bring_back(slot, h);
    }
}

void slot_share::borrow_from_server(time_point now) {
    for (int slot = 0; slot < static_cast<int>(here_.slots.size()); ++slot) {
        if (held_.contains(slot) || !is_quiet(now, slot)) continue;
        bring_back(slot, held_[slot]);
        return here_.shortage.reset();
    }
}

void slot_share::bring_back(int slot, held_slot& h) {
    const bool untouched = is_untouched(slot, h);
    h.stage = stage::here;
    actions_.push_back(share_action::bring_back{slot, local_slot(slot).last_used, untouched});
}

// --- the store's records

bool slot_share::needs_claim(time_point now) const {
    if (now >= lease_until_ || running_claim_ || here_.slots.empty()) return false;
    if (!claimed_at_) return true;
    const auto& wish = here_.shortage;
    if (wish.has_value() != claimed_wish_.has_value()) return true;
    if (wish && is_more_urgent(*wish, *claimed_wish_)) return true;
    return now >= *claimed_at_ + (wish ? repeat_wish : repeat_claim);
}

void slot_share::send_claim(time_point now) {
    // Without a wish, the first answer has only loans that an earlier process left behind.
    share_action::claim c{.wish = has_claimed_ ? here_.shortage : std::nullopt};
    c.held.reserve(held_.size());
    for (const auto& [slot, h] : held_) {
        if (h.stage == stage::offered) continue;
        c.held.push_back({slot, h.number, unused_for(now, slot)});
    }
    running_claim_ = c;
    claimed_wish_ = here_.shortage;
    claimed_at_ = now;
    actions_.push_back(std::move(c));
}

void slot_share::on_claim_answer(time_point now, const std::optional<std::vector<loan>>& loans) {
    const auto claim = std::exchange(running_claim_, std::nullopt);
    if (!claim || !loans) return;
    drop_lost_loans(claim->held, *loans);
    for (auto l : *loans) {
        l.is_doubtful = l.is_doubtful || !has_claimed_;
        accept_loan(now, l);
    }
    if (!has_claimed_) claimed_wish_.reset();  // was not sent
    is_agreed_ = has_claimed_ = true;
}

// `reported` lacks the slots that were borrowed or offered after the claim was sent.
void slot_share::drop_lost_loans(const std::vector<reported_loan>& reported,
                                 const std::vector<loan>& loans) {
    for (const auto& t : reported) {
        const auto found = held_.find(t.slot);
        const auto is_same = [&t](const loan& l) { return l.slot == t.slot; };
        if (found == held_.end() || found->second.stage == stage::offered) continue;
        if (std::ranges::any_of(loans, is_same)) continue;
        if (found->second.stage == stage::here) actions_.push_back(share_action::send_away{t.slot});
        held_.erase(found);
        ++lost_;
    }
}

void slot_share::accept_loan(time_point now, const loan& l) {
    highest_number_[l.slot] = l.number;
    const auto [place, is_new] = held_.try_emplace(l.slot);
    auto& h = place->second;
    if (h.stage == stage::offered) return;
    h.number = l.number;
    if (!is_new) return;
    claimed_wish_.reset();  // fulfilled, so a further wish must be sent
    if (l.is_doubtful || now >= lease_until_) {
        h.stage = stage::unsure;
        h.unsure_since = now;
        return;
    }
    const auto last_used = l.unused_for ? std::optional(now - *l.unused_for) : std::nullopt;
    actions_.push_back(share_action::bring_back{l.slot, last_used, false});
}

// A message may arrive after the slot that it names has been returned.
void slot_share::on_loan(time_point now, const loan& l) {
    if (l.number > highest_number_[l.slot]) accept_loan(now, l);
}

void slot_share::on_offer_answer(time_point now, int slot, offer_result result) {
    const auto found = held_.find(slot);
    if (found == held_.end() || found->second.stage != stage::offered) return;
    if (result == offer_result::taken) return void(held_.erase(found));
    if (result == offer_result::not_wanted && trusts_store(now)) {
        found->second.stage = stage::here;
        actions_.push_back(share_action::bring_back{slot, local_slot(slot).last_used, true});
        return;
    }
    mark_unsure(now, found->second);
    claimed_at_.reset();
    offer_again_at_ = now + repeat_wish;
}

int slot_share::count_unchecked() const {
    return static_cast<int>(std::ranges::count_if(held_, [this](const auto& entry) {
        return entry.second.stage == stage::unsure && !local_slot(entry.first).is_busy;
    }));
}

// --- the wishes of other gateways

void slot_share::on_wish(time_point now, const std::string& gateway,
                         const slots::slot_shortage& wish) {
    if (!trusts_store(now)) return;
    wishes_[gateway] = now + 3 * repeat_wish;
    actions_.push_back(share_action::queue_wish{gateway, wish});
}

void slot_share::on_wish_end(const std::string& gateway) {
    if (wishes_.erase(gateway) > 0) actions_.push_back(share_action::withdraw_wish{gateway});
}

void slot_share::drop_old_wishes(time_point now) {
    std::erase_if(wishes_, [&](const auto& w) {
        if (w.second > now) return false;
        actions_.push_back(share_action::withdraw_wish{w.first});
        return true;
    });
}

void slot_share::on_granted_elsewhere(time_point now, const std::string& gateway, int slot,
                                      std::optional<time_point> last_used) {
    wishes_.erase(gateway);
    const auto found = held_.find(slot);
    if (found == held_.end() || found->second.stage != stage::here) return;
    if (!trusts_store(now)) return mark_unsure(now, found->second);
    found->second.stage = stage::offered;
    const auto unused = last_used ? std::optional(now - *last_used) : std::nullopt;
    actions_.push_back(share_action::offer{{slot, found->second.number, unused}});
}

// --- time

duration slot_share::find_poll_pause() const noexcept {
    return can_poll_ ? poll_interval : failed_poll_interval;
}

bool slot_share::needs_poll(time_point now) const {
    if (is_polling_ || here_.slots.empty()) return false;
    if (polled_at_ && now < *polled_at_ + find_poll_pause()) return false;
    if (here_.shortage && (!trusts_store(now) || now >= *short_since_ + quiet_time)) return true;
    return std::ranges::any_of(held_, [&](const auto& entry) {
        const auto& [slot, h] = entry;
        return h.stage == stage::unsure && !local_slot(slot).is_busy &&
               (h.awaits_own_task || has_demand() || !must_poll_before_use(now));
    });
}

std::optional<time_point> slot_share::next_event(time_point now) const {
    std::optional<time_point> next;
    const auto add = [&](time_point t) {
        if (t > now) next = std::min(next.value_or(t), t);
    };
    add(lease_until_);
    if (claimed_at_) add(*claimed_at_ + (here_.shortage ? repeat_wish : repeat_claim));
    const bool has_unsure = std::ranges::any_of(
        held_, [](const auto& entry) { return entry.second.stage == stage::unsure; });
    if (polled_at_ && (has_unsure || here_.shortage)) add(*polled_at_ + find_poll_pause());
    if (offer_again_at_) add(*offer_again_at_);
    for (const auto& [gateway, until] : wishes_) add(until);
    return next;
}

}  // namespace tandem::cluster

#include "cluster/slot_lender.hpp"

#include "cluster/cluster_member.hpp"
#include "loop/clock.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace tandem::cluster {
namespace {

constexpr auto retry_props_after = std::chrono::seconds(1);

}  // namespace

slot_lender::slot_lender(cluster_member& member, std::string gateway, std::string name,
                         std::shared_ptr<detail::server_link> link,
                         std::shared_ptr<detail::server_usage> use)
    : member_(member),
      gateway_(std::move(gateway)),
      name_(std::move(name)),
      link_(std::move(link)),
      use_(std::move(use)),
      timer_(link_->executor()),
      retry_(link_->executor()) {
    use_->slots->lock()->scheduler.share_slots();
}

slot_lender::~slot_lender() {
    use_->slots->lock()->on_change = nullptr;
}

void slot_lender::start() {
    use_->slots->lock()->on_change = [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->post_update();
    };
    load_slot_count();
}

// Slots can be borrowed only once their number is known, so this retries until it is.
void slot_lender::load_slot_count() {
    link_->load_props(
        [weak = weak_from_this()](error_code ec, const diagnostics&, const server_props&) {
            const auto self = weak.lock();
            if (!self) return;
            if (!ec) return self->post_update();
            if (self->is_leaving()) return;
            self->retry_.expires_after(retry_props_after);
            self->retry_.async_wait([weak](error_code stopped) {
                if (const auto again = weak.lock(); again && !stopped) again->load_slot_count();
            });
        });
}

// May be called on the strand of another object that uses the slots.
void slot_lender::post_update() {
    if (is_running_ || is_update_posted_.exchange(true)) return;
    boost::asio::post(link_->executor(), [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self) return;
        self->is_update_posted_ = false;
        self->perform_actions();
    });
}

// Repeats until there are no more actions, because a grant that an action makes possible may add
// new ones.
void slot_lender::perform_actions() {
    if (is_running_ || link_->is_shut_down()) return;
    is_running_ = true;
    do {
        const auto actions = share_.take_actions();
        for (const auto& a : actions) perform(a);
        if (!actions.empty()) link_->slots().dispatch_grants();
        const auto now = detail::now();
        share_.update(now, observe_slots());
        const auto table = use_->slots->lock();
        table->scheduler.set_lease(share_.lease_end(now));
        table->scheduler.set_unchecked(share_.count_unchecked());
    } while (share_.has_actions());
    is_running_ = false;
    arm_timer();
}

void slot_lender::arm_timer() {
    const auto next = share_.next_event(detail::now());
    if (!next) return void(timer_.cancel());
    timer_.expires_at(*next);
    timer_.async_wait([weak = weak_from_this()](error_code ec) {
        if (const auto self = weak.lock(); self && !ec) self->perform_actions();
    });
}

local_slots slot_lender::observe_slots() const {
    const auto table = use_->slots->lock();
    const auto& scheduler = table->scheduler;
    local_slots view{.reuse_guard = table->known.reuse_guard()};
    if (!table->known.was_read_before()) return view;
    view.slots.reserve(static_cast<std::size_t>(scheduler.slots()));
    for (int slot = 0; slot < scheduler.slots(); ++slot)
        view.slots.push_back({scheduler.is_busy(slot), scheduler.last_used(slot)});
    view.shortage = scheduler.find_shortage(detail::now());
    return view;
}

share_status slot_lender::status() const {
    return {use_->slots->lock()->scheduler.slots(), share_.count_slots(), share_.count_lost()};
}

double slot_lender::take_average_running() {
    const auto now = detail::now();
    const auto sum = use_->slots->lock()->scheduler.find_running_time(now);
    const auto since = now - std::exchange(averaged_at_, now);
    const auto ran = sum - std::exchange(averaged_time_, sum);
    return since > duration{} ? to_seconds(ran) / to_seconds(since) : 0;
}

void slot_lender::set_other_process_usage(const slots::other_process_usage& u) {
    use_->slots->lock()->scheduler.set_other_process_usage(u);
    // A raised limit may admit waiting requests, which would otherwise wait until some request
    // ends.
    if (!link_->is_shut_down()) link_->slots().dispatch_grants();
}

// --- events

void slot_lender::renew_lease(time_point until, bool is_one_missing) {
    share_.renew_lease(until, is_one_missing);
    leave_if_unused();
    perform_actions();
}

void slot_lender::distrust_store() {
    share_.distrust_store(detail::now());
    perform_actions();
}

void slot_lender::on_message(const lending_message& m) {
    const bool is_own = m.gateway == gateway_;
    const auto now = detail::now();
    if (m.kind == lending_message::kind::lent && is_own)
        share_.on_loan(now, m.lent);
    else if (m.kind == lending_message::kind::wish && !is_own)
        share_.on_wish(now, m.gateway, {m.wished_for, now + m.due_in});
    else if (!is_own)
        share_.on_wish_end(m.gateway);
    perform_actions();
}

void slot_lender::leave() {
    share_.leave();
    perform_actions();
}

void slot_lender::leave_when_unused() {
    is_removed_ = true;
    leave_if_unused();
    perform_actions();
}

void slot_lender::leave_if_unused() {
    if (is_removed_ && count_conversations() == 0) share_.leave();
}

// --- actions

void slot_lender::perform(const any_share_action& any) {
    std::visit([this](const auto& a) { perform(a); }, any);
}

void slot_lender::perform(const share_action::claim& c) {
    member_.claim(name_, use_->slots->lock()->scheduler.slots(), c,
                  [weak = weak_from_this()](std::optional<std::vector<loan>> loans) {
                      const auto self = weak.lock();
                      if (!self) return;
                      self->share_.on_claim_answer(detail::now(), loans);
                      self->perform_actions();
                  });
}

void slot_lender::perform(const share_action::offer& o) {
    member_.offer(name_, o.loan, share_.is_leaving(),
                  [weak = weak_from_this(), slot = o.loan.slot](offer_result result) {
                      const auto self = weak.lock();
                      if (!self) return;
                      self->share_.on_offer_answer(detail::now(), slot, result);
                      self->perform_actions();
                  });
}

void slot_lender::perform(const share_action::poll&) {
    link_->calls().slots([weak = weak_from_this()](error_code ec, const diagnostics&,
                                                   const std::vector<slot_state>& states) {
        const auto self = weak.lock();
        if (!self) return;
        self->share_.on_poll_answer(detail::now(), ec ? std::nullopt : std::optional(states));
        self->perform_actions();
    });
}

void slot_lender::perform(const share_action::bring_back& b) {
    const auto table = use_->slots->lock();
    if (b.slot < table->scheduler.slots())
        table->scheduler.bring_back(b.slot, b.last_used, b.is_untouched);
}

void slot_lender::perform(const share_action::send_away& s) {
    use_->slots->lock()->scheduler.send_away(s.slot);
}

void slot_lender::perform(const share_action::queue_wish& w) {
    auto& manager = link_->slots();
    if (const auto known = wishes_.find(w.gateway); known != wishes_.end())
        return manager.set_due(known->second, w.wish.due);
    const auto ticket =
        manager.enqueue({.kind = w.wish.kind, .due = w.wish.due, .is_from_elsewhere = true},
                        [weak = weak_from_this(), gateway = w.gateway](const slots::grant& g) {
                            if (const auto self = weak.lock())
                                self->grant_to_gateway(gateway, g.slot);
                            return false;  // no request of this process uses the slot
                        });
    if (ticket != slots::no_ticket) wishes_[w.gateway] = ticket;
}

void slot_lender::perform(const share_action::withdraw_wish& w) {
    if (const auto known = wishes_.extract(w.gateway))
        link_->slots().cancel_request(known.mapped());
}

void slot_lender::grant_to_gateway(const std::string& gateway, int slot) {
    wishes_.erase(gateway);
    std::optional<time_point> last_used;
    {
        const auto table = use_->slots->lock();
        table->scheduler.send_away(slot);
        last_used = table->scheduler.last_used(slot);
    }
    share_.on_granted_elsewhere(detail::now(), gateway, slot, last_used);
    post_update();
}

}  // namespace tandem::cluster

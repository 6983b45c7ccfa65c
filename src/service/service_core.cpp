#include "service/service_core.hpp"

#include "conversation/conversation_shell.hpp"
#include "reply/clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tandem::detail {
service_core::service_core(std::shared_ptr<event_home> home, service_config c)
    : home_(std::move(home)),
      config_(std::move(c)),
      choice_(config_.placement),
      timer_(std::in_place, home_->executor()) {}

std::shared_ptr<service_core> service_core::make(const boost::asio::any_io_executor& executor,
                                                 service_config c) {
    auto home = std::make_shared<event_home>(executor, c.server.logger);
    auto& place = *home;
    std::shared_ptr<service_core> core(new service_core(std::move(home), std::move(c)));
    place.add(core);
    const auto& urls = core->config_.servers;
    if (urls.empty()) core->add_server(core->config_.server.url);
    for (const auto& url : urls) core->add_server(url);
    return core;
}

// --- the list of servers

service_core::server* service_core::find(const core_ptr& core) {
    for (const auto& s : servers_)
        if (s->core == core) return s.get();
    return nullptr;
}

service_core::server* service_core::find(std::string_view url) {
    for (const auto& s : servers_)
        if (s->url == url) return s.get();
    return nullptr;
}

void service_core::add_server(const std::string& url) {
    if (home_->closed()) return;
    if (auto* known = find(url)) {
        known->ends.reset();
        return arm_timer();
    }
    auto settings = config_.server;
    settings.url = url;
    servers_.push_back(std::make_unique<server>(
        server{.url = url,
               .core = client_core::make(home_, std::move(settings)),
               .health = services::server_health(config_.health_interval)}));
    servers_.back()->core->keeper().set_sharing(config_.share_idle_slots);
    arm_timer();
}

void service_core::remove_server(std::string_view url, duration limit) {
    auto* s = find(url);
    if (!s || home_->closed()) return;
    constexpr duration longest = std::chrono::hours(24);
    s->ends = now() + std::clamp(limit, duration{}, longest);
    home_->log(log_level::info, "server {}: removed, {} replies are finished", url, s->generating);
    drop_drained();
    arm_timer();
}

void service_core::reload(const std::vector<std::string>& urls) {
    std::vector<std::string> gone;
    for (const auto& s : servers_)
        if (std::find(urls.begin(), urls.end(), s->url) == urls.end()) gone.push_back(s->url);
    for (const auto& url : urls) add_server(url);
    for (const auto& url : gone) remove_server(url, std::chrono::minutes(1));
}

// Calls that still run there belong to conversations that go elsewhere.
void service_core::drop_drained() {
    const auto drained = std::stable_partition(servers_.begin(), servers_.end(), [](const auto& s) {
        return !s->ends || s->generating > 0;
    });
    const server_list dropped(std::make_move_iterator(drained),
                              std::make_move_iterator(servers_.end()));
    servers_.erase(drained, servers_.end());
    for (const auto& s : dropped) s->core->shut_down(errc::server_gone);
}

void service_core::end_overdue(server& s) {
    if (!s.ends || *s.ends > now()) return;
    std::vector<std::shared_ptr<conversation_shell>> there;
    for (const auto& [id, weak] : conversations_)
        if (auto c = weak.lock(); c && c->pinned() == s.core) there.push_back(std::move(c));
    const failure why{
        errc::server_gone,
        {.client_message = fmt::format(
             "server {} was removed, and the reply took longer than its limit", s.url)}};
    // The server may be gone from the list with its last reply.
    for (const auto& c : there) c->leave_server_for(why);
}

std::vector<server_status> service_core::status() const {
    std::vector<server_status> list;
    for (const auto& s : servers_) {
        const auto& keeper = s->core->keeper();
        list.push_back({.url = s->url,
                        .state = s->health.state(),
                        .draining = s->ends.has_value(),
                        .slots = s->core->is_known() ? keeper.slots() : 0,
                        .conversations = s->conversations,
                        .generating = s->generating,
                        .waiting = keeper.requests_waiting(),
                        .fault = s->health.fault()});
    }
    return list;
}

// --- conversations

void service_core::conversation_began(slots::owner_id id, std::weak_ptr<conversation_shell> shell) {
    if (home_->closed()) return;
    conversations_.emplace(id, std::move(shell));
    if (conversations_.size() == 1) arm_timer();
}

void service_core::conversation_ended(slots::owner_id conversation, const core_ptr& pinned) {
    conversations_.erase(conversation);
    if (auto* s = find(pinned)) --s->conversations;
    if (conversations_.empty()) arm_timer();
}

bool service_core::may_serve(const server& s) const {
    return s.health.may_serve() && !s.ends && s.core->may_serve(now());
}

std::optional<std::size_t> service_core::choose(const server* left_out) {
    std::vector<services::server_load> loads;
    for (const auto& s : servers_)
        loads.push_back({.may_serve = may_serve(*s) && s.get() != left_out,
                         .slots = s->core->is_known() ? s->core->keeper().slots() : 0,
                         .conversations = s->conversations,
                         .generating = s->generating});
    return choice_.choose(loads);
}

auto service_core::place(const core_ptr& pinned, bool elsewhere)
    -> std::variant<core_ptr, failure> {
    auto* const before = find(pinned);
    auto* next = before && may_serve(*before) ? before : nullptr;
    if (!next || elsewhere)
        if (const auto chosen = choose(before)) next = servers_[*chosen].get();
    if (!next) return why_none();
    if (before) --before->conversations;
    ++next->conversations;
    // It may serve, but perhaps one request only.
    next->core->refuses(now());
    return next->core;
}

failure service_core::why_none() const {
    std::string words = servers_.empty() ? "the service has no server: add one" : "no server is up";
    for (const auto& s : servers_)
        words += fmt::format("; {} is {}{}{}", s->url,
                             s->ends ? "being removed" : to_string(s->health.state()),
                             s->health.fault().empty() ? "" : ": ", s->health.fault());
    for (const auto& s : servers_)
        if (!s->core->may_serve(now()))
            words += fmt::format("; the last requests to {} failed, it is left alone for a while",
                                 s->url);
    return {errc::no_model, {.client_message = std::move(words)}};
}

bool service_core::server_failed(const core_ptr& core, const failure& why) {
    auto* s = find(core);
    if (!s) return true;
    const bool is_news = s->health.failed(now(), why.ec, why.diag.to_string());
    const bool is_gone = !s->health.may_serve();
    arm_timer();
    // Last: a log function may change the list.
    if (is_news) tell_state(*s);
    return is_gone;
}

void service_core::turn_began(const core_ptr& core) {
    if (auto* s = find(core)) ++s->generating;
}

void service_core::turn_ended(const core_ptr& core) {
    auto* s = find(core);
    if (!s) return;
    --s->generating;
    if (s->ends) drop_drained();
}

// Two slots spare a reply its guard; where there is none, one slot keeps all that it needs.
int service_core::lease(const client_core& core) const {
    if (config_.slots_per_conversation > 0) return config_.slots_per_conversation;
    return core.reuse_guard() > duration{} ? 2 : 1;
}

// --- health

std::optional<time_point> service_core::next_event() const {
    std::optional<time_point> next;
    for (const auto& s : servers_) {
        next = earlier(next, s->ends);
        if (is_watching() && !s->ends) next = earlier(next, s->health.next_check());
    }
    return next;
}

void service_core::arm_timer() {
    if (!timer_) return;
    const auto due = next_event();
    // A timer that nobody needs would keep the event loop busy.
    if (!due || home_->closed()) return void(timer_->cancel());
    timer_->expires_at(std::max(*due, now()));
    timer_->async_wait([this, weak = weak_from_this()](error_code ec) {
        if (const auto self = weak.lock(); self && !ec) timer_expired();
    });
}

void service_core::timer_expired() {
    for (const auto& s : servers_) {
        const auto due = s->health.next_check();
        if (is_watching() && due && *due <= now()) check(*s);
    }
    // What is ended changes the list.
    std::vector<core_ptr> leaving;
    for (const auto& s : servers_)
        if (s->ends) leaving.push_back(s->core);
    for (const auto& core : leaving)
        if (auto* s = find(core)) end_overdue(*s);
    drop_drained();
    arm_timer();
}

void service_core::check(server& s) {
    s.health.check_begun();
    const auto self = weak_from_this();
    s.core->calls().health(
        [self, weak = std::weak_ptr(s.core)](error_code ec, const diagnostics& diag) {
            const auto owner = self.lock();
            const auto core = weak.lock();
            auto* asked = owner && core ? owner->find(core) : nullptr;
            if (!asked || owner->home_->closed()) return;
            const bool is_news = asked->health.answered(now(), ec, diag.to_string());
            owner->arm_timer();
            if (is_news && !ec) core->server_works();
            if (is_news) owner->tell_state(*asked);
        });
}

void service_core::tell_state(const server& s) const {
    const auto state = s.health.state();
    home_->log(s.health.may_serve() ? log_level::info : log_level::warning, "server {}: {}{}{}",
               s.url, to_string(state), s.health.fault().empty() ? "" : ": ", s.health.fault());
}

// --- ends

void service_core::home_closed() {
    if (timer_) timer_->cancel();
    conversations_.clear();
}

void service_core::context_ended() noexcept {
    timer_.reset();
    conversations_.clear();
}

}  // namespace tandem::detail

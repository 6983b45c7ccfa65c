#include "service/service_core.hpp"

#include "conversation/conversation_shell.hpp"
#include "reply/clock.hpp"
#include "transport/server_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tandem::detail {
service_core::service_core(std::shared_ptr<event_home> home, service_config c)
    : home_(std::move(home)),
      config_(std::move(c)),
      list_(config_.placement, config_.health_interval),
      timer_(std::in_place, home_->executor()) {}

std::shared_ptr<service_core> service_core::make(const boost::asio::any_io_executor& executor,
                                                 service_config c) {
    auto home = std::make_shared<event_home>(executor, c.server.logger);
    auto& place = *home;
    std::shared_ptr<service_core> core(new service_core(std::move(home), std::move(c)));
    place.add(core);
    const auto& urls = core->config_.servers;
    if (urls.empty()) core->take_in(core->config_.server.url);
    for (const auto& url : urls) core->take_in(url);
    // The loop may be running already, on another thread.
    if (core->config_.watch_always) core->home_->dispatch([core] { core->arm_timer(); });
    return core;
}

// --- the list of servers

auto service_core::id_of(const core_ptr& core) const -> server_id {
    for (const auto& [id, known] : cores_)
        if (known == core) return id;
    return services::no_server;
}

void service_core::add_server(const std::string& url) {
    if (home_->closed()) return;
    take_in(url);
    arm_timer();
}

void service_core::take_in(const std::string& url) {
    const auto id = list_.add(url);
    if (id == services::no_server) return;
    auto settings = config_.server;
    settings.url = url;
    const auto core = client_core::make(home_, std::move(settings));
    core->keeper().set_sharing(config_.share_idle_slots);
    cores_.emplace(id, core);
}

void service_core::remove_server(std::string_view url, duration limit) {
    if (home_->closed()) return;
    const auto* const s = list_.remove(now(), url, limit);
    if (!s) return;
    home_->log(log_level::info, "server {}: removed, {} replies are finished",
               transport::without_credentials(s->url), s->generating);
    drop_drained();
    arm_timer();
}

void service_core::reload(const std::vector<std::string>& urls) {
    std::vector<std::string> gone;
    for (const auto& s : list_.all())
        if (std::find(urls.begin(), urls.end(), s.url) == urls.end()) gone.push_back(s.url);
    for (const auto& url : urls) add_server(url);
    for (const auto& url : gone) remove_server(url, std::chrono::minutes(1));
}

// Calls that still run there belong to conversations that go elsewhere.
void service_core::drop_drained() {
    std::vector<core_ptr> dropped;
    for (const auto id : list_.drop_drained()) dropped.push_back(cores_.extract(id).mapped());
    for (const auto& core : dropped) core->shut_down(errc::server_gone);
}

void service_core::end_overdue(server_id id) {
    const auto found = cores_.find(id);
    if (found == cores_.end()) return;
    const auto core = found->second;
    const reason_to_leave removed{
        reason_to_leave::kind::removed,
        {errc::server_gone,
         {.client_message =
              fmt::format("server {} was removed, and the reply took longer than its limit",
                          core->shown_url())}}};
    leave_all(core, removed);
}

// The last reply that leaves may drop a server that is being removed, whose calls send others away.
void service_core::leave_all(core_ptr core, const reason_to_leave& reason) {
    for (const auto& c : conversations_at(core))
        if (c->pinned() == core) c->leave_server(reason);
}

auto service_core::conversations_at(const core_ptr& core) const
    -> std::vector<std::shared_ptr<conversation_shell>> {
    std::vector<std::shared_ptr<conversation_shell>> there;
    for (const auto& [conversation, weak] : conversations_)
        if (auto c = weak.lock(); c && c->pinned() == core) there.push_back(std::move(c));
    return there;
}

std::vector<server_status> service_core::status() const {
    std::vector<server_status> list;
    for (const auto& s : list_.all()) {
        const auto& core = cores_.at(s.id);
        const auto asked = state_of(s);
        list.push_back({.url = s.url,
                        .state = s.health.state(),
                        .draining = s.ends.has_value(),
                        .circuit_open = !asked.takes_requests,
                        .slots = asked.slots,
                        .conversations = s.conversations,
                        .generating = s.generating,
                        .waiting = core->keeper().requests_waiting(),
                        .fault = s.health.fault()});
    }
    return list;
}

services::server_state service_core::state_of(const listed_server& s) const {
    const auto& core = cores_.at(s.id);
    return {.takes_requests = core->may_serve(now()),
            .slots = core->is_known() ? core->keeper().slots() : 0};
}

// --- conversations

void service_core::conversation_began(const std::shared_ptr<conversation_shell>& shell,
                                      std::string_view near) {
    if (home_->closed()) return;
    conversations_.emplace(shell->id(), shell);
    const auto* const s =
        near.empty() ? nullptr
                     : list_.pin_near(near, [this](const listed_server& l) { return state_of(l); });
    if (s) shell->begin_at(cores_.at(s->id));
    if (conversations_.size() == 1) arm_timer();
}

void service_core::conversation_ended(slots::owner_id conversation, const core_ptr& pinned) {
    conversations_.erase(conversation);
    list_.unpin(id_of(pinned));
    if (conversations_.empty()) arm_timer();
}

auto service_core::place(const server_wish& wish) -> std::variant<core_ptr, failure> {
    std::vector<server_id> without;
    for (const auto& core : wish.without) without.push_back(id_of(core));
    const auto* const next =
        list_.place({.pinned = id_of(wish.pinned), .elsewhere = wish.elsewhere, .without = without},
                    [this](const listed_server& s) { return state_of(s); });
    if (!next) {
        arm_timer();
        return why_none();
    }
    const auto& core = cores_.at(next->id);
    // A server that hangs is found out while the turn begins there.
    if (wish.is_for_turn && list_.find(next->id)->health.needed(now())) arm_timer();
    // It may serve, but perhaps one request only.
    if (wish.is_for_turn) core->refuses(now());
    return core;
}

failure service_core::why_none() const {
    const auto& servers = list_.all();
    std::string words = servers.empty() ? "the service has no server: add one" : "no server is up";
    for (const auto& s : servers)
        words += fmt::format("; {} is {}{}{}", cores_.at(s.id)->shown_url(),
                             s.ends ? "being removed" : to_string(s.health.state()),
                             s.health.fault().empty() ? "" : ": ", s.health.fault());
    for (const auto& s : servers)
        if (!state_of(s).takes_requests)
            words += fmt::format("; the last requests to {} failed, it is left alone for a while",
                                 cores_.at(s.id)->shown_url());
    return {errc::no_model, {.client_message = std::move(words)}};
}

bool service_core::server_failed(const core_ptr& core, const failure& why) {
    auto* s = list_.find(id_of(core));
    if (!s) return true;
    const bool is_news = s->health.failed(now(), why.ec, why.diag.to_string());
    const auto told = *s;
    arm_timer();
    // Last: a log function may change the list.
    if (is_news) tell_state(told);
    return !told.health.may_serve();
}

void service_core::turn_began(const core_ptr& core) {
    list_.turn_began(id_of(core));
    arm_timer();
}

void service_core::turn_ended(const core_ptr& core) {
    if (list_.turn_ended(id_of(core))) drop_drained();
}

// Two slots spare a reply its guard; where there is none, one slot keeps all that it needs.
int service_core::lease(const client_core& core) const {
    if (config_.slots_per_conversation > 0) return config_.slots_per_conversation;
    return core.reuse_guard() > duration{} ? 2 : 1;
}

// --- health

void service_core::arm_timer() {
    if (!timer_) return;
    const auto due = list_.next_event(is_watching());
    // A timer that nobody needs would keep the event loop busy.
    if (!due || home_->closed()) return void(timer_->cancel());
    timer_->expires_at(std::max(*due, now()));
    timer_->async_wait([this, weak = weak_from_this()](error_code ec) {
        if (const auto self = weak.lock(); self && !ec) timer_expired();
    });
}

void service_core::timer_expired() {
    if (home_->closed()) return;
    if (is_watching())
        for (const auto id : list_.take_due_checks(now())) check(id);
    for (const auto id : list_.take_overdue(now())) end_overdue(id);
    drop_drained();
    arm_timer();
}

void service_core::check(server_id id) {
    auto done = [self = weak_from_this(), id, when = now()](error_code ec,
                                                            const diagnostics& diag) {
        if (const auto owner = self.lock()) owner->checked(id, when, ec, diag);
    };
    auto& calls = cores_.at(id)->calls();
    if (list_.find(id)->health.needs_proof())
        calls.prove(std::move(done));
    else
        calls.health(std::move(done));
}

void service_core::checked(server_id id, time_point when, const error_code& ec,
                           const diagnostics& diag) {
    auto* const asked = list_.find(id);
    if (!asked || home_->closed()) return;
    const bool is_news = asked->health.answered(now(), ec, diag.to_string());
    const auto told = *asked;
    arm_timer();
    if (is_news && !ec) cores_.at(id)->server_works();
    tell_to_leave(told, when);
    if (is_news) tell_state(told);
}

// Each check tells it, as a request may have taken the server down before. Replies that rest use
// the time that the voice takes to find another server.
void service_core::tell_to_leave(const listed_server& s, time_point asked) {
    const auto what =
        list_.why_leave(s.id, [this](const listed_server& other) { return state_of(other); });
    if (!what) return;
    const reason_to_leave reason{*what,
                                 {errc::no_model,
                                  {.client_message = fmt::format(
                                       "server {} is {}: {}", transport::without_credentials(s.url),
                                       to_string(s.health.state()), s.health.fault())}},
                                 asked};
    leave_all(cores_.at(s.id), reason);
}

void service_core::tell_state(const listed_server& s) const {
    const auto state = s.health.state();
    home_->log(s.health.may_serve() ? log_level::info : log_level::warning, "server {}: {}{}{}",
               transport::without_credentials(s.url), to_string(state),
               s.health.fault().empty() ? "" : ": ", s.health.fault());
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

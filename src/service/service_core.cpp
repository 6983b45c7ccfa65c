#include "service/service_core.hpp"

#include "conversation/conversation_shell.hpp"
#include "transport/server_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tandem::detail {

service_core::service_core(std::shared_ptr<event_home> home, service_config c)
    : home_(std::move(home)),
      config_(std::move(c)),
      board_(config_),
      timer_(std::in_place, home_->executor()) {}

// The loop may be running already, on another thread.
std::shared_ptr<service_core> service_core::make(const boost::asio::any_io_executor& executor,
                                                 service_config c) {
    auto home = std::make_shared<event_home>(executor, c.server.logger);
    std::shared_ptr<service_core> core(new service_core(std::move(home), std::move(c)));
    core->home().add(core);
    if (core->config().watch_always) core->home().dispatch([core] { core->arm_timer(); });
    return core;
}

// --- the list of servers

auto service_core::id_of(const core_ptr& core) const -> server_id {
    for (const auto& [id, known] : cores_)
        if (known == core) return id;
    return services::no_server;
}

auto service_core::core_of(const listed_server& s) -> core_ptr {
    if (const auto known = cores_.find(s.id); known != cores_.end()) return known->second;
    auto settings = config_.server;
    settings.url = s.url;
    // Only what could be made is kept.
    auto core = client_core::make(home_, std::move(settings), board_.use_of(s.id));
    return cores_[s.id] = std::move(core);
}

void service_core::add_server(const std::string& url) {
    if (home_->closed()) return;
    board_.add(config_, url);
    arm_timer();
}

void service_core::remove_server(std::string_view url, duration limit) {
    if (home_->closed()) return;
    const auto generating = board_.remove(now(), url, limit);
    if (!generating) return;
    home_->log(log_level::info, "server {}: removed, {} replies are finished",
               transport::without_credentials(std::string(url)), *generating);
    drop_drained();
    arm_timer();
}

void service_core::reload(const std::vector<std::string>& urls) {
    const auto gone = board_.find_others(urls);
    for (const auto& url : urls) add_server(url);
    for (const auto& url : gone) remove_server(url, std::chrono::minutes(1));
}

void service_core::drop_drained() {
    for (const auto id : board_.drop_drained()) drop(id);
}

// Calls that still run there belong to conversations that go elsewhere. A turn that found its place
// there just before has to leave, too.
void service_core::drop(server_id id) {
    const auto found = cores_.extract(id);
    if (!found) return;
    const auto& core = found.mapped();
    core->shut_down(errc::server_gone);
    leave_all(core,
              {reason_to_leave::kind::removed,
               {errc::server_gone,
                {.client_message = fmt::format("server {} was removed", core->shown_url())}}});
}

void service_core::end_overdue(server_id id) {
    const auto* const s = board_.list().find(id);
    if (!s) return;  // it was dropped with the last reply of another one
    const auto url = transport::without_credentials(s->url);
    leave_all(id,
              {reason_to_leave::kind::removed,
               {errc::server_gone,
                {.client_message = fmt::format(
                     "server {} was removed, and the reply took longer than its limit", url)}}});
}

void service_core::leave_all(server_id id, const reason_to_leave& reason) {
    if (const auto found = cores_.find(id); found != cores_.end()) leave_all(found->second, reason);
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

// --- conversations

void service_core::conversation_began(const std::shared_ptr<conversation_shell>& shell,
                                      std::string_view near) {
    // A handle that was made off the strand may have been destroyed on it before.
    if (home_->closed() || shell->ended()) return;
    conversations_.emplace(shell->id(), shell);
    if (const auto core = pin_near(near)) shell->begin_at(core);
}

auto service_core::pin_near(std::string_view url) -> core_ptr {
    if (url.empty()) return nullptr;
    const auto* const s = board_.list().pin_near(url, board_.states(now()));
    return s ? core_of(*s) : nullptr;
}

void service_core::conversation_ended(slots::owner_id conversation, const core_ptr& pinned) {
    conversations_.erase(conversation);
    board_.list().unpin(id_of(pinned));
}

auto service_core::place(const server_wish& wish) -> std::variant<core_ptr, failure> {
    auto* const s = find_place(wish);
    if (!s) {
        arm_timer();
        return board_.why_none(now());
    }
    auto core = core_of(*s);
    // A server that hangs is found out while the turn begins there.
    if (wish.is_for_turn && s->health.needed(now())) arm_timer();
    // Of an open circuit, the turn is the one request that was to be sent.
    if (wish.is_for_turn) core->refuses(now());
    return core;
}

auto service_core::find_place(const server_wish& wish) -> listed_server* {
    std::vector<server_id> without;
    for (const auto& core : wish.without) without.push_back(id_of(core));
    return board_.list().place(
        {.pinned = id_of(wish.pinned), .elsewhere = wish.elsewhere, .without = without},
        board_.states(now()));
}

bool service_core::server_failed(const core_ptr& core, const failure& why) {
    auto* const s = board_.list().find(id_of(core));
    if (!s) return true;
    const bool is_news = s->health.failed(now(), why.ec, why.diag.to_string());
    const bool may_serve = s->health.may_serve();
    arm_timer();
    // Last: a log function may change the list.
    if (is_news) log_state(*s);
    return !may_serve;
}

void service_core::reply_began() {
    if (++running_replies_ > 1) return;
    // A reply that fails at once, as no server is up, ends before the timer can ask anybody.
    check_due_servers();
    arm_timer();
}

void service_core::reply_ended() {
    if (--running_replies_ == 0) arm_timer();
}

void service_core::turn_began(const core_ptr& core) {
    board_.list().turn_began(id_of(core));
    arm_timer();
}

void service_core::turn_ended(const core_ptr& core) {
    if (board_.list().turn_ended(id_of(core))) drop_drained();
}

// Two slots spare a reply its guard; where there is none, one slot keeps all that it needs.
int service_core::lease(const client_core& core) const {
    if (config_.slots_per_conversation > 0) return config_.slots_per_conversation;
    return core.reuse_guard() > duration{} ? 2 : 1;
}

// --- health

void service_core::arm_timer() {
    if (!timer_) return;
    const auto due = board_.list().next_event(is_watching());
    // A timer that nobody needs would keep the event loop busy.
    if (!due || home_->closed()) return void(timer_->cancel());
    timer_->expires_at(std::max(*due, now()));
    timer_->async_wait([this, weak = weak_from_this()](error_code ec) {
        if (const auto self = weak.lock(); self && !ec) timer_expired();
    });
}

void service_core::timer_expired() {
    if (home_->closed()) return;
    if (is_watching()) check_due_servers();
    for (const auto id : board_.list().take_overdue(now())) end_overdue(id);
    drop_drained();
    arm_timer();
}

void service_core::check_due_servers() {
    for (const auto id : board_.list().take_due_checks(now())) check(*board_.list().find(id));
}

void service_core::check(const listed_server& s) {
    auto done = [self = weak_from_this(), id = s.id, when = now()](error_code ec,
                                                                   const diagnostics& diag) {
        if (const auto owner = self.lock()) owner->checked(id, when, ec, diag);
    };
    const auto core = core_of(s);
    if (s.health.needs_proof())
        core->calls().prove(std::move(done));
    else
        core->calls().health(std::move(done));
}

void service_core::checked(server_id id, time_point when, const error_code& ec,
                           const diagnostics& diag) {
    auto* const s = home_->closed() ? nullptr : board_.list().find(id);
    if (!s) return;
    const bool is_news = s->health.answered(now(), ec, diag.to_string());
    const auto told = *s;
    arm_timer();
    if (is_news && !ec) core_of(told)->server_works();
    tell_to_leave(id, when);
    if (is_news) log_state(told);
}

// Each check tells it, as a request may have taken the server down before. Replies that rest use
// the time that the voice takes to find another server.
void service_core::tell_to_leave(server_id id, time_point asked) {
    const auto what = board_.list().why_leave(id, board_.states(now()));
    if (!what) return;
    const auto& s = *board_.list().find(id);
    leave_all(id, {*what,
                   {errc::no_model,
                    {.client_message =
                         fmt::format("server {} is {}: {}", transport::without_credentials(s.url),
                                     to_string(s.health.state()), s.health.fault())}},
                   asked});
}

void service_core::log_state(const listed_server& s) const {
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

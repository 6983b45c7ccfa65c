#include "service/service_core.hpp"

#include "conversation/conversation_shell.hpp"
#include "transport/server_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tandem::detail {

service_core::service_core(std::shared_ptr<strand_scope> scope, service_config c, instruments i)
    : scope_(std::move(scope)),
      config_(std::move(c)),
      instruments_(std::move(i)),
      directory_(config_, choose_slot_scope(instruments_)),
      timer_(std::in_place, scope_->executor()) {
    if (!config_.client.pacing.mode) config_.client.pacing.mode = pacing::automatic;
}

// The first checks are dispatched, because the loop may already be running on another thread.
std::shared_ptr<service_core> service_core::make(const boost::asio::any_io_executor& executor,
                                                 service_config c, instruments i) {
    auto scope = std::make_shared<strand_scope>(executor, std::move(i.log));
    std::shared_ptr<service_core> core(
        new service_core(std::move(scope), std::move(c), std::move(i)));
    core->scope().add_listener(core);
    if (core->config().watch_always) core->scope().dispatch([core] { core->arm_timer(); });
    return core;
}

// --- list of servers

auto service_core::find_server_id(const server_link_ptr& link) const -> server_id {
    for (const auto& [id, known] : links_)
        if (known == link) return id;
    return services::no_server;
}

auto service_core::get_or_make_link(const listed_server& s) -> server_link_ptr {
    if (const auto known = links_.find(s.id); known != links_.end()) return known->second;
    auto settings = config_.client;
    settings.server.url = s.url;
    // Created before it is stored: if this throws, no null link remains.
    auto link =
        server_link::make(scope_, std::move(settings), instruments_, directory_.get_usage(s.id));
    return links_[s.id] = std::move(link);
}

void service_core::add_server(const std::string& url) {
    if (scope_->is_closed()) return;
    directory_.add(config_, url);
    arm_timer();
}

void service_core::remove_server(std::string_view url, duration limit) {
    if (scope_->is_closed()) return;
    const auto generating = directory_.remove(now(), url, limit);
    if (!generating) return;
    scope_->log(log_level::info, "server {}: removed after its {} running replies end",
                transport::without_credentials(std::string(url)), *generating);
    drop_idle_removed_servers();
    arm_timer();
}

void service_core::reload(const std::vector<std::string>& urls) {
    const auto gone = directory_.find_unlisted_servers(urls);
    for (const auto& url : urls) add_server(url);
    for (const auto& url : gone) remove_server(url, std::chrono::minutes(1));
}

void service_core::set_drained(std::string_view url, bool is_drained) {
    const auto* const s =
        scope_->is_closed() ? nullptr : directory_.list().set_drained(url, is_drained);
    if (!s) return;
    const auto shown = transport::without_credentials(s->url);
    if (is_drained)
        scope_->log(log_level::info, "server {}: drained; its {} running replies end there", shown,
                    s->generating);
    else
        scope_->log(log_level::info, "server {}: no longer drained", shown);
}

void service_core::drop_idle_removed_servers() {
    for (const auto id : directory_.drop_idle_removed_servers()) drop_server(id);
}

// Calls still running on the server belong to conversations that move to another server. A turn
// that was placed on the server just before must also leave.
void service_core::drop_server(server_id id) {
    const auto found = links_.extract(id);
    if (!found) return;
    const auto& link = found.mapped();
    link->shut_down(errc::server_gone);
    move_all_away(link,
                  {server_leave_reason::kind::removed,
                   {errc::server_gone,
                    {.client_message = fmt::format("server {} was removed", link->shown_url())}}});
}

void service_core::end_expired_removal(server_id id) {
    const auto* const s = directory_.list().find(id);
    if (!s) return;  // dropped while the replies of another server left
    const auto url = transport::without_credentials(s->url);
    move_all_away(
        id, {server_leave_reason::kind::removed,
             {errc::server_gone,
              {.client_message = fmt::format(
                   "server {} was removed, and the reply took longer than its limit", url)}}});
}

void service_core::move_all_away(server_id id, const server_leave_reason& reason) {
    if (const auto found = links_.find(id); found != links_.end())
        move_all_away(found->second, reason);
}

// `link` is a copy, because a server may be dropped when the last reply leaves it. Ending its calls
// makes further replies leave, so each conversation is checked again.
void service_core::move_all_away(server_link_ptr link, const server_leave_reason& reason) {
    for (const auto& c : conversations_at(link))
        if (c->pinned_server() == link) c->leave_server(reason);
}

auto service_core::conversations_at(const server_link_ptr& link) const
    -> std::vector<std::shared_ptr<conversation_shell>> {
    std::vector<std::shared_ptr<conversation_shell>> there;
    for (const auto& [conversation, weak] : conversations_)
        if (auto c = weak.lock(); c && c->pinned_server() == link) there.push_back(std::move(c));
    return there;
}

// --- conversations

void service_core::on_conversation_started(const std::shared_ptr<conversation_shell>& shell,
                                           std::string_view near) {
    // The handle may have been created on another thread, and may already have been destroyed.
    if (scope_->is_closed() || shell->has_ended()) return;
    conversations_.emplace(shell->id(), shell);
    if (const auto link = pin_if_suitable(near)) shell->set_first_server(link);
}

auto service_core::pin_if_suitable(std::string_view url) -> server_link_ptr {
    if (url.empty()) return nullptr;
    const auto* const s = directory_.list().pin_if_suitable(url, directory_.states(now()));
    if (!s) return nullptr;
    directory_.record_conversations(s->id);
    return get_or_make_link(*s);
}

void service_core::on_conversation_ended(slots::owner_id conversation,
                                         const server_link_ptr& pinned) {
    conversations_.erase(conversation);
    directory_.list().unpin(find_server_id(pinned));
    directory_.record_conversations(find_server_id(pinned));
}

auto service_core::assign_server(const server_criteria& criteria)
    -> std::variant<server_link_ptr, failure> {
    auto* const s = select_server(criteria);
    if (!s) {
        arm_timer();
        return services::explain_unavailability(directory_.list().all(), directory_.states(now()),
                                                criteria.turn_began);
    }
    directory_.record_conversations(find_server_id(criteria.pinned));
    directory_.record_conversations(s->id);
    auto link = get_or_make_link(*s);
    // If the server hangs, the check shows this while the turn begins there.
    if (criteria.is_for_turn && s->health.check_if_stale(now())) arm_timer();
    // If the circuit is open, the turn's request is the trial.
    if (criteria.is_for_turn) link->admit_request(now());
    return link;
}

auto service_core::select_server(const server_criteria& criteria) -> listed_server* {
    std::vector<server_id> without;
    for (const auto& link : criteria.excluded) without.push_back(find_server_id(link));
    return directory_.list().assign_server({.pinned = find_server_id(criteria.pinned),
                                            .prefer_other = criteria.prefer_other,
                                            .excluded = without},
                                           directory_.states(now()));
}

bool service_core::on_server_failed(const server_link_ptr& link, const failure& why) {
    auto* const s = directory_.list().find(find_server_id(link));
    if (!s) return true;
    const bool has_changed = s->health.record_request_failure(now(), why.ec, why.diag.to_string());
    const bool may_serve = s->health.may_serve();
    arm_timer();
    // Must be last: a log function may change the list.
    if (has_changed) log_state(*s);
    return !may_serve;
}

void service_core::on_reply_started() {
    if (++running_replies_ > 1) return;
    // Checks immediately, because a reply that finds no server up may end before the timer expires.
    check_due_servers();
    arm_timer();
}

void service_core::on_reply_ended() {
    if (--running_replies_ == 0) arm_timer();
}

void service_core::on_turn_started(const server_link_ptr& link) {
    directory_.list().on_turn_started(find_server_id(link));
    arm_timer();
}

void service_core::on_turn_ended(const server_link_ptr& link) {
    if (directory_.list().on_turn_ended(find_server_id(link))) drop_idle_removed_servers();
}

// --- health

void service_core::arm_timer() {
    if (!timer_) return;
    const auto due = directory_.list().next_event(is_watching());
    // A timer that nothing needs would keep the event loop busy.
    if (!due || scope_->is_closed()) return void(timer_->cancel());
    timer_->expires_at(std::max(*due, now()));
    timer_->async_wait([this, weak = weak_from_this()](error_code ec) {
        if (const auto self = weak.lock(); self && !ec) on_timer();
    });
}

void service_core::on_timer() {
    if (scope_->is_closed()) return;
    if (is_watching()) check_due_servers();
    for (const auto id : directory_.list().take_expired_removals(now())) end_expired_removal(id);
    drop_idle_removed_servers();
    arm_timer();
}

void service_core::check_due_servers() {
    for (const auto id : directory_.list().take_due_checks(now()))
        check(*directory_.list().find(id));
}

void service_core::check(const listed_server& s) {
    auto done = [self = weak_from_this(), id = s.id, when = now()](error_code ec,
                                                                   const diagnostics& diag) {
        if (const auto owner = self.lock()) owner->on_check_result(id, when, ec, diag);
    };
    const auto link = get_or_make_link(s);
    if (s.health.needs_authenticated_check())
        link->calls().verify_server_and_key(std::move(done));
    else
        link->calls().health(std::move(done));
}

void service_core::on_check_result(server_id id, time_point when, const error_code& ec,
                                   const diagnostics& diag) {
    auto* const s = scope_->is_closed() ? nullptr : directory_.list().find(id);
    if (!s) return;
    const bool has_changed = s->health.record_check_result(now(), ec, diag.to_string());
    const auto copy = *s;
    arm_timer();
    if (has_changed && !ec) get_or_make_link(copy)->report_server_success();
    evict_if_needed(id, when);
    if (has_changed) log_state(copy);
}

// Runs after each check, because a request may have marked the server as down earlier. Resting
// replies use the time in which the voice is speaking to find another server.
void service_core::evict_if_needed(server_id id, time_point asked) {
    const auto what = directory_.list().leave_reason(id, directory_.states(now()));
    if (!what) return;
    const auto& s = *directory_.list().find(id);
    move_all_away(id, {*what,
                       {errc::no_model,
                        {.client_message = fmt::format(
                             "server {} is {}: {}", transport::without_credentials(s.url),
                             to_string(s.health.state()), s.health.fault())}},
                       asked});
}

void service_core::log_state(const listed_server& s) const {
    const auto state = s.health.state();
    scope_->log(s.health.may_serve() ? log_level::info : log_level::warning, "server {}: {}{}{}",
                transport::without_credentials(s.url), to_string(state),
                s.health.fault().empty() ? "" : ": ", s.health.fault());
}

// --- ends

void service_core::on_owner_destroyed() {
    if (timer_) timer_->cancel();
    conversations_.clear();
}

void service_core::on_context_destroyed() noexcept {
    timer_.reset();
    conversations_.clear();
}

}  // namespace tandem::detail

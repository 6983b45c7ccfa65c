#include "service/service_core.hpp"

#include "conversation/conversation_shell.hpp"
#include "loop/clock.hpp"
#include "transport/server_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tandem::detail {

service_core::service_core(std::shared_ptr<event_home> home, service_config c,
                           std::shared_ptr<service_bonds> bonds)
    : home_(std::move(home)),
      config_(std::move(c)),
      bonds_(std::move(bonds)),
      timer_(std::in_place, home_->executor()) {}

std::shared_ptr<service_core> service_core::make(const boost::asio::any_io_executor& executor,
                                                 service_config c,
                                                 std::shared_ptr<service_bonds> bonds) {
    auto home = std::make_shared<event_home>(executor, c.server.logger, bonds->ids);
    auto& place = *home;
    std::shared_ptr<service_core> core(
        new service_core(std::move(home), std::move(c), std::move(bonds)));
    place.add(core);
    return core;
}

// The loop may be running already, on another thread.
void service_core::begin() {
    if (config_.watch_always) home_->dispatch([self = shared_from_this()] { self->arm_timer(); });
}

// --- other loops

template <class Function>
void service_core::tell_other_loops(Function f) const {
    const auto loops = bonds_->loops.lock();
    for (const auto& weak : *loops) {
        auto other = weak.lock();
        if (!other || other.get() == this) continue;
        const auto& home = other->home();
        // It must not be destroyed on this loop.
        home.post([owned = std::move(other), f] {
            if (!owned->home().closed()) f(*owned);
        });
    }
}

template <class Function>
void service_core::on_all_loops(Function f) {
    tell_other_loops(f);
    f(*this);
}

// --- the list of servers

auto service_core::id_of(const core_ptr& core) const -> server_id {
    for (const auto& [id, known] : cores_)
        if (known == core) return id;
    return services::no_server;
}

auto service_core::core_of(const found_server& s) -> core_ptr {
    if (const auto known = cores_.find(s.id); known != cores_.end()) return known->second;
    auto settings = config_.server;
    settings.url = s.url;
    // Only what could be made is kept.
    auto core = client_core::make(home_, std::move(settings), s.shared);
    return cores_[s.id] = std::move(core);
}

void service_core::add_server(const std::string& url) {
    if (home_->closed()) return;
    bonds_->add(config_, url);
    arm_timers();
}

void service_core::remove_server(std::string_view url, duration limit) {
    if (home_->closed()) return;
    const auto generating = bonds_->remove(now(), url, limit);
    if (!generating) return;
    home_->log(log_level::info, "server {}: removed, {} replies are finished",
               transport::without_credentials(std::string(url)), *generating);
    drop_drained();
    arm_timer();
}

void service_core::reload(const std::vector<std::string>& urls) {
    const auto gone = bonds_->not_among(urls);
    for (const auto& url : urls) add_server(url);
    for (const auto& url : gone) remove_server(url, std::chrono::minutes(1));
}

// Calls that still run there belong to conversations that go elsewhere.
void service_core::drop_drained() {
    const auto dropped = bonds_->drop_drained();
    if (!dropped.empty()) on_all_loops([dropped](service_core& loop) { loop.drop(dropped); });
}

// A turn that found its place there just before has to leave, too.
void service_core::drop(const std::vector<server_id>& dropped) {
    for (const auto id : dropped) {
        const auto found = cores_.extract(id);
        if (!found) continue;
        const auto& core = found.mapped();
        core->shut_down(errc::server_gone);
        leave_all(core,
                  {reason_to_leave::kind::removed,
                   {errc::server_gone,
                    {.client_message = fmt::format("server {} was removed", core->shown_url())}}});
    }
}

void service_core::end_overdue(server_id id, const std::string& url) {
    const reason_to_leave removed{
        reason_to_leave::kind::removed,
        {errc::server_gone,
         {.client_message =
              fmt::format("server {} was removed, and the reply took longer than its limit",
                          transport::without_credentials(url))}}};
    on_all_loops([id, removed](service_core& loop) { loop.leave_all(id, removed); });
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

std::vector<server_status> service_core::status() const {
    return bonds_->board.lock()->status(now());
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
    std::optional<found_server> pinned;
    {
        const auto board = bonds_->board.lock();
        if (const auto* const s = board->list.pin_near(url, board->states(now())))
            pinned = board->found(*s);
    }
    return pinned ? core_of(*pinned) : nullptr;
}

void service_core::conversation_ended(slots::owner_id conversation, const core_ptr& pinned) {
    conversations_.erase(conversation);
    bonds_->board.lock()->list.unpin(id_of(pinned));
}

auto service_core::place(const server_wish& wish) -> std::variant<core_ptr, failure> {
    const auto placed = find_place(wish);
    if (const auto* const none = std::get_if<failure>(&placed)) {
        arm_timer();
        return *none;
    }
    const auto& [server, needs_check] = std::get<found_place>(placed);
    auto core = core_of(server);
    if (needs_check) arm_timer();
    // Of an open circuit, the turn is the one request that was to be sent.
    if (wish.is_for_turn) core->refuses(now());
    return core;
}

auto service_core::find_place(const server_wish& wish) -> std::variant<found_place, failure> {
    std::vector<server_id> without;
    for (const auto& core : wish.without) without.push_back(id_of(core));
    const auto board = bonds_->board.lock();
    auto* const next = board->list.place(
        {.pinned = id_of(wish.pinned), .elsewhere = wish.elsewhere, .without = without},
        board->states(now()));
    if (!next) return board->why_none(now());
    // A server that hangs is found out while the turn begins there.
    return found_place{board->found(*next), wish.is_for_turn && next->health.needed(now())};
}

bool service_core::server_failed(const core_ptr& core, const failure& why) {
    bool is_news = false;
    std::optional<listed_server> told;
    {
        const auto board = bonds_->board.lock();
        auto* const s = board->list.find(id_of(core));
        if (!s) return true;
        is_news = s->health.failed(now(), why.ec, why.diag.to_string());
        told = *s;
    }
    arm_timer();
    // Last: a log function may change the list.
    if (is_news) tell_state(*told);
    return !told->health.may_serve();
}

void service_core::reply_began() {
    if (++running_replies_ > 1) return;
    // A reply that fails at once, as no server is up, ends before the timer can ask anybody.
    check_due_servers();
    arm_timer();
}

// Others may have left it to this loop to look after the servers.
void service_core::reply_ended() {
    if (--running_replies_ == 0) arm_timers();
}

void service_core::turn_began(const core_ptr& core) {
    bonds_->board.lock()->list.turn_began(id_of(core));
    arm_timer();
}

void service_core::turn_ended(const core_ptr& core) {
    const bool may_drop = bonds_->board.lock()->list.turn_ended(id_of(core));
    if (may_drop) drop_drained();
}

// Two slots spare a reply its guard; where there is none, one slot keeps all that it needs.
int service_core::lease(const client_core& core) const {
    if (config_.slots_per_conversation > 0) return config_.slots_per_conversation;
    return core.reuse_guard() > duration{} ? 2 : 1;
}

// --- health

void service_core::arm_timer() {
    if (!timer_) return;
    const auto due = bonds_->board.lock()->list.next_event(is_watching());
    // A timer that nobody needs would keep the event loop busy.
    if (!due || home_->closed()) return void(timer_->cancel());
    timer_->expires_at(std::max(*due, now()));
    timer_->async_wait([this, weak = weak_from_this()](error_code ec) {
        if (const auto self = weak.lock(); self && !ec) timer_expired();
    });
}

// Each loop looks after the servers, as long as it has replies: whoever is first asks.
void service_core::arm_timers() {
    on_all_loops([](service_core& loop) { loop.arm_timer(); });
}

void service_core::timer_expired() {
    if (home_->closed()) return;
    if (is_watching()) check_due_servers();
    for (const auto& [id, url] : bonds_->take_overdue(now())) end_overdue(id, url);
    drop_drained();
    arm_timer();
}

void service_core::check_due_servers() {
    for (const auto& due : bonds_->take_due_checks(now())) check(due);
}

void service_core::check(const due_check& due) {
    auto done = [self = weak_from_this(), id = due.server.id, when = now()](
                    error_code ec, const diagnostics& diag) {
        if (const auto owner = self.lock()) owner->checked(id, when, ec, diag);
    };
    const auto core = core_of(due.server);
    if (due.needs_proof)
        core->calls().prove(std::move(done));
    else
        core->calls().health(std::move(done));
}

void service_core::checked(server_id id, time_point when, const error_code& ec,
                           const diagnostics& diag) {
    if (home_->closed()) return;
    bool is_news = false;
    std::optional<listed_server> told;
    {
        const auto board = bonds_->board.lock();
        auto* const asked = board->list.find(id);
        if (!asked) return;
        is_news = asked->health.answered(now(), ec, diag.to_string());
        told = *asked;
    }
    arm_timers();
    if (is_news && !ec) on_all_loops([id](service_core& loop) { loop.server_works(id); });
    tell_to_leave(*told, when);
    if (is_news) tell_state(*told);
}

void service_core::server_works(server_id id) {
    if (const auto core = cores_.find(id); core != cores_.end()) core->second->server_works();
}

// Each check tells it, as a request may have taken the server down before. Replies that rest use
// the time that the voice takes to find another server.
void service_core::tell_to_leave(const listed_server& s, time_point asked) {
    const auto what = why_leave(s.id);
    if (!what) return;
    const reason_to_leave reason{*what,
                                 {errc::no_model,
                                  {.client_message = fmt::format(
                                       "server {} is {}: {}", transport::without_credentials(s.url),
                                       to_string(s.health.state()), s.health.fault())}},
                                 asked};
    on_all_loops([id = s.id, reason](service_core& loop) { loop.leave_all(id, reason); });
}

auto service_core::why_leave(server_id id) const -> std::optional<services::leave_kind> {
    const auto board = bonds_->board.lock();
    return board->list.why_leave(id, board->states(now()));
}

void service_core::tell_state(const listed_server& s) const {
    const auto state = s.health.state();
    home_->log(s.health.may_serve() ? log_level::info : log_level::warning, "server {}: {}{}{}",
               transport::without_credentials(s.url), to_string(state),
               s.health.fault().empty() ? "" : ": ", s.health.fault());
}

// --- ends

// Its loop may end from now on: others must not post to it.
void service_core::leave_loops() noexcept {
    const auto self = weak_from_this();
    std::erase_if(*bonds_->loops.lock(), [&](const auto& loop) {
        return !loop.owner_before(self) && !self.owner_before(loop);
    });
}

void service_core::home_closed() {
    leave_loops();
    if (timer_) timer_->cancel();
    conversations_.clear();
}

void service_core::context_ended() noexcept {
    leave_loops();
    timer_.reset();
    conversations_.clear();
}

}  // namespace tandem::detail

#include "cluster/cluster_member.hpp"

#include "config/config_defaults.hpp"
#include "loop/clock.hpp"
#include "transport/server_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace tandem::cluster {
namespace {

// A gateway stops using its slots this long before the store gives the slots to other gateways.
constexpr duration margin = std::chrono::seconds(1);
// A replica usually replaces a store within this time.
constexpr duration store_returns_within = std::chrono::seconds(10);

store_options options_of(const cluster_options& o) {
    return {.address = o.store,
            .password = o.password,
            .ca_file = o.ca_file,
            .client_name = fmt::format("tandem-{}", o.gateway_id)};
}

std::uint64_t make_random_number() {
    std::random_device random;
    return (std::uint64_t{random()} << 32) | random();
}

std::string name_of(const std::string& url) {
    return transport::parse_server_url(url).url.identity;
}

// Quantities of a shared_load: the numbers of the server's running requests and conversations.
std::string name_running_quantity(const std::string& server) {
    return "running " + server;
}
std::string name_conversations_quantity(const std::string& server) {
    return "conversations " + server;
}

}  // namespace

cluster_member::cluster_member(const boost::asio::any_io_executor& executor, cluster_options o,
                               instruments i)
    : options_(std::move(o)),
      instruments_(std::move(i)),
      scope_(std::make_shared<detail::strand_scope>(executor, instruments_.log)),
      commands_(executor, options_of(options_), instruments_.log),
      messages_(executor, options_of(options_), instruments_.log),
      sessions_(executor, commands_, {key("session:"), key("processes")}, options_.gateway_id),
      texts_(commands_, key("text:")),
      renewal_timer_(executor),
      leave_timer_(executor),
      process_id_(key(fmt::format("process:{:016x}", make_random_number()))),
      answered_at_(detail::now()) {
    messages_.subscribe(process_id_);
    messages_.set_message_handler(
        [this](const auto& channel, const auto& text) { on_message(channel, text); });
}

cluster_member::~cluster_member() {
    servers_.clear();
    scope_->close();
}

std::string cluster_member::key(std::string_view what) const {
    return fmt::format("tdm:{}:{}", options_.name, what);
}

std::string cluster_member::key(std::string_view what, const std::string& server) const {
    return fmt::format("tdm:{}:{}:{}", options_.name, what, server);
}

lending_names cluster_member::make_lending_names(const std::string& server) const {
    return {options_.gateway_id, key("messages", server)};
}

std::vector<std::string> cluster_member::make_lending_keys(const std::string& server) const {
    return {key("members"), key("processes"), key("slots", server), key("wishes", server)};
}

void cluster_member::replace_servers(const std::string& model, std::vector<config> servers) {
    std::set<std::string> listed;
    for (const auto& settings : servers) listed.insert(channel_of(settings));
    for (const auto& [channel, known] : servers_)
        if (known.model == model && !listed.contains(channel)) known.lender->leave_when_unused();
    for (auto& settings : servers) add_server(model, std::move(settings));
}

std::string cluster_member::channel_of(const config& settings) const {
    return key("messages", name_of(settings.server.url));
}

void cluster_member::add_server(const std::string& model, config settings) {
    auto channel = channel_of(settings);
    const auto known = servers_.find(channel);
    if (known != servers_.end() && !known->second.lender->is_leaving()) {
        // Another model may list a server that its former model no longer lists.
        if (known->second.lender->is_removed()) known->second.model = model;
        return known->second.lender->stay();
    }
    // The old lender goes first, because its destructor must not unregister the new lender from the
    // slots.
    if (known != servers_.end()) forget_server(known);
    auto name = name_of(settings.server.url);
    auto use = std::make_shared<detail::server_usage>(settings, detail::service_slot_defaults,
                                                      detail::choose_slot_scope(instruments_));
    auto link = detail::server_link::make(scope_, std::move(settings), instruments_, use);
    auto lender = std::make_shared<slot_lender>(*this, options_.gateway_id, std::move(name),
                                                std::move(link), std::move(use));
    messages_.subscribe(channel);
    lender->start();
    servers_[std::move(channel)] = {model, std::move(lender)};
}

auto cluster_member::forget_server(served_map::iterator which) -> served_map::iterator {
    messages_.unsubscribe(which->first);
    return servers_.erase(which);
}

/// Forgets removed servers once nothing in this process uses them.
void cluster_member::forget_left_servers() {
    for (auto s = servers_.begin(); s != servers_.end();)
        s = s->second.lender->has_left() ? forget_server(s) : std::next(s);
}

void cluster_member::start() {
    commands_.start([this] {
        renew_lease();
        for (const auto& handler : on_connected_) handler();
    });
    // Messages about loans may have been lost, and other gateways may have borrowed slots of this
    // gateway.
    messages_.start([this] {
        distrust_store();
        renew_lease();
    });
}

void cluster_member::run(const store_script& script, std::vector<std::string> keys,
                         std::vector<std::string> arguments, store_link::answer_handler done) {
    for (auto& k : keys) k = key(k);
    script.run(commands_, std::move(keys), std::move(arguments), std::move(done));
}

// --- lease

bool cluster_member::has_lease() const {
    return detail::now() < lease_until_;
}

bool cluster_member::has_lost_store() const {
    return detail::now() > answered_at_ + store_returns_within;
}

void cluster_member::renew_lease() {
    renewal_timer_.expires_after(renewal_interval);
    renewal_timer_.async_wait([this, life = std::weak_ptr<void>(life_)](error_code ec) {
        if (!ec && !life.expired()) renew_lease();
    });
    if (!has_lease()) apply_load({});  // the reported load is out of date
    if (!messages_.is_connected())
        return distrust_store();  // others may borrow slots of this gateway
    request_lease(lease_time, [this, sent = detail::now()](const auto& answer) {
        on_lease_answer(sent, answer);
    });
}

void cluster_member::request_lease(duration lease, store_link::answer_handler done) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(lease).count();
    scripts::renew_lease().run(
        commands_, {key("members"), key("processes"), key("drains"), key("loads")},
        {options_.gateway_id, process_id_, std::to_string(ms), make_load_text()}, std::move(done));
}

void cluster_member::on_lease_answer(time_point sent, const std::optional<store_answer>& answer) {
    const auto read = read_lease_renewal(answer);
    if (!read) return warn_about_rejection(answer);
    answered_at_ = detail::now();
    if (std::exchange(is_rejected_, false))
        scope_->log(log_level::info, "cluster {}: the store accepts commands again", options_.name);
    if (read->is_duplicate) return warn_about_duplicate();
    is_duplicate_ = false;
    lease_until_ = sent + lease_time - margin;
    members_ = std::max<std::int64_t>(read->members, 1);
    share_drains(read->drained, !read->was_known);
    apply_load(read->elsewhere);
    if (!read->was_known) distrust_store();
    for (const auto& [channel, known] : servers_)
        known.lender->renew_lease(lease_until_, read->is_one_missing);
    forget_left_servers();
}

void cluster_member::distrust_store() {
    for (const auto& [channel, known] : servers_) known.lender->distrust_store();
}

std::string cluster_member::make_load_text() {
    auto load = find_load_ ? find_load_() : shared_load{};
    std::vector<std::string> served;
    for (const auto& [channel, known] : servers_) {
        const auto& name = known.lender->name();
        load[name_running_quantity(name)] = known.lender->take_average_running();
        load[name_conversations_quantity(name)] = known.lender->count_conversations();
        if (!known.lender->is_removed()) served.push_back(name);
    }
    load[name_served_servers_quantity(served)] = 1;
    return serialize_load(load);
}

void cluster_member::apply_load(const shared_load& elsewhere) {
    const auto others = static_cast<int>(members_ - 1);
    for (const auto& [channel, known] : servers_) {
        const auto& name = known.lender->name();
        known.lender->set_other_process_usage(
            {.processes = others,
             .running = find_quantity(elsewhere, name_running_quantity(name)),
             .conversations = find_quantity(elsewhere, name_conversations_quantity(name))});
    }
    if (on_load_) on_load_(elsewhere);
}

// After a restart, the duplicate is the previous process, until its lease ends.
void cluster_member::warn_about_duplicate() {
    if (std::exchange(is_duplicate_, true)) return;
    scope_->log(log_level::warning,
                "cluster {}: another process is gateway {}; waiting for the end of its lease. Give "
                "each gateway its own --gateway-id",
                options_.name, options_.gateway_id);
}

// The store's memory or disk may be full, or the user may not run scripts.
void cluster_member::warn_about_rejection(const std::optional<store_answer>& answer) {
    if (!answer || answer->kind != answer_kind::error || std::exchange(is_rejected_, true)) return;
    scope_->log(log_level::warning,
                "cluster {}: the store rejects commands, so this gateway has no lease: {}",
                options_.name, answer->text);
}

// --- drained servers

void cluster_member::set_server_drained(const std::string& server, bool is_drained) {
    drains_.set_drained(server, is_drained);
    write_drains();
}

void cluster_member::share_drains(const std::set<std::string>& listed, bool is_lost) {
    for (const auto& c : drains_.update(listed, is_lost))
        if (on_drained_) on_drained_(c.server, c.is_drained);
    write_drains();
}

void cluster_member::write_drains() {
    for (const auto& m : drains_.list_unwritten_marks())
        run(scripts::set_server_drained(), {"drains"},
            {m.server, m.is_drained ? "1" : "0", m.is_restored ? "1" : "0"},
            [this, m](const auto& answer) {
                if (answer && answer->kind == answer_kind::integer) drains_.mark_written(m);
            });
}

// --- slots

void cluster_member::claim(const std::string& server, int slots, const share_action::claim& c,
                           claim_handler done) {
    scripts::claim_slots().run(
        commands_, make_lending_keys(server),
        make_claim_arguments(make_lending_names(server), detail::now(), slots, c),
        [done = std::move(done)](const auto& answer) { done(read_loans(answer)); });
}

void cluster_member::offer(const std::string& server, const reported_loan& l, bool is_leaving,
                           offer_handler done) {
    scripts::offer_slot().run(
        commands_, make_lending_keys(server),
        make_offer_arguments(make_lending_names(server), l, is_leaving),
        [done = std::move(done)](const auto& answer) {
            if (!answer || answer->kind != answer_kind::integer) return done(offer_result::unknown);
            done(answer->number == 1 ? offer_result::taken : offer_result::not_wanted);
        });
}

void cluster_member::on_message(const std::string& channel, const std::string& text) {
    if (channel == process_id_ && text.starts_with(release_request) && on_release_)
        return on_release_(text.substr(release_request.size()));
    const auto found = servers_.find(channel);
    const auto message = parse_lending_message(text);
    if (found == servers_.end() || !message) return;
    const auto lender = found->second.lender;
    lender->on_message(*message);
}

// --- leaving

void cluster_member::leave(duration limit, std::function<void()> done) {
    for (const auto& [channel, known] : servers_) known.lender->leave();
    await_return(detail::now() + limit, std::move(done));
}

void cluster_member::await_return(time_point until, std::function<void()> done) {
    constexpr auto poll_interval = std::chrono::milliseconds(5);
    const bool has_slots = std::ranges::any_of(
        servers_, [](const auto& s) { return s.second.lender->status().held > 0; });
    leave_timer_.expires_after(poll_interval);
    leave_timer_.async_wait([this, life = std::weak_ptr<void>(life_), until, has_slots,
                             done = std::move(done)](error_code ec) mutable {
        if (ec || life.expired()) return;
        if (has_slots && has_lease() && detail::now() < until)
            return await_return(until, std::move(done));
        request_lease({}, [done = std::move(done)](const auto&) { done(); });
    });
}

cluster_status cluster_member::status() const {
    cluster_status s{.has_lease = has_lease()};
    s.servers.reserve(servers_.size());
    for (const auto& [channel, known] : servers_)
        s.servers.push_back({known.lender->name(), known.lender->status()});
    return s;
}

}  // namespace tandem::cluster

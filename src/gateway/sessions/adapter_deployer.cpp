#include "gateway/sessions/adapter_deployer.hpp"

#include "gateway/json/field_reader.hpp"
#include "transport/server_url.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

namespace tandem::gateway {
namespace {

namespace asio = boost::asio;
using asio::redirect_error;
using asio::use_awaitable;

// Far longer than a second: a server that gets requests more often than once a second may not
// notice disconnected clients.
constexpr auto reconcile_interval = std::chrono::seconds(5);
constexpr duration max_answer_time = std::chrono::seconds(5);

config settings_for(config c, const std::string& url) {
    c.server.url = url;
    c.limits.request_timeout = std::min(c.limits.request_timeout, max_answer_time);
    return c;
}

bool has_adapter(const std::vector<server_adapter>& reported, int id) {
    return std::ranges::find(reported, id, &server_adapter::id) != reported.end();
}

bool is_set(const std::vector<server_adapter>& reported, const std::vector<adapter_scale>& wanted) {
    return std::ranges::all_of(reported, [&](const server_adapter& a) {
        const auto w = std::ranges::find(wanted, a.id, &adapter_scale::id);
        // Servers store scales as float, so a comparison of doubles would find differences.
        return static_cast<float>(a.scale) ==
               (w == wanted.end() ? 0.0f : static_cast<float>(w->scale));
    });
}

api_error unknown_adapter(std::string_view name) {
    return make_error(404, "adapter_not_found",
                      fmt::format("there is no adapter \"{}\"; GET /admin/adapters lists them",
                                  quote_text(name)));
}

api_error too_many_jobs() {
    auto e = make_error(429, "too_many_jobs",
                        fmt::format("{} jobs are already waiting", adapter_jobs::max_waiting));
    e.retry_after = std::chrono::seconds(5);
    return e;
}

}  // namespace

adapter_deployer::adapter_deployer(const asio::any_io_executor& executor, const gateway_options& o)
    : executor_(executor),
      settings_(o.service.client),
      instruments_(o.instruments),
      adapters_(o.adapters, list_model_names(list_models(o))),
      reconcile_timer_(executor) {
    for (const auto& m : list_models(o)) set_servers(m);
    if (o.state_file.empty()) return;
    store_.emplace(o.state_file);
    const auto allowed = adapters();
    for (const auto& d : store_->all())
        if (const auto* known = allowed.find(d.adapter); known && known->model == d.model)
            adapters_.set_deployed_scale(d.adapter, d.scale);
}

void adapter_deployer::replace_servers(const model_servers& m) {
    if (is_closed_) return;
    set_servers(m);
    start_checks();
}

void adapter_deployer::set_servers(const model_servers& m) {
    if (adapters_.deployed_scales(m.name).empty()) return;
    std::vector<server_ptr> kept;
    kept.reserve(m.servers.size());
    for (const auto& url : m.servers) {
        const auto known = std::ranges::find(servers_, url, &deployer_server::url);
        kept.push_back(known != servers_.end()
                           ? *known
                           : std::make_shared<deployer_server>(deployer_server{
                                 m.name, url, transport::without_credentials(url),
                                 client(executor_, settings_for(settings_, url), instruments_)}));
    }
    std::erase_if(servers_, [&](const server_ptr& s) { return s->model == m.name; });
    servers_.insert(servers_.end(), kept.begin(), kept.end());
}

void adapter_deployer::close() {
    is_closed_ = true;
    reconcile_timer_.cancel();
    servers_.clear();
}

void adapter_deployer::write_log(log_level level, const std::string& text) const {
    const auto& log = instruments_.log;
    if (log.enabled(level)) log.write(level, text);
}

// --- jobs

std::variant<const adapter_job*, api_error> adapter_deployer::queue_job(std::string_view adapter,
                                                                        double scale,
                                                                        std::string job) {
    const auto allowed = adapters();
    const auto* const known = allowed.find(adapter);
    if (!known) return unknown_adapter(adapter);
    const auto* const added = jobs_.add(std::move(job), known->name, scale, std::time(nullptr));
    if (!added) return too_many_jobs();
    start_jobs();
    return added;
}

void adapter_deployer::start_jobs() {
    if (is_closed_ || std::exchange(is_working_, true)) return;
    asio::co_spawn(
        executor_, [self = shared_from_this()] { return self->run_jobs(); },
        [self = shared_from_this()](const std::exception_ptr& e) {
            self->is_working_ = false;
            if (e)
                self->jobs_.end_running_job("internal error of the gateway", {},
                                            std::time(nullptr));
            self->start_checks();
        });
}

auto adapter_deployer::run_jobs() -> awaitable<void> {
    while (!is_closed_) {
        const auto* const job = jobs_.begin_next_job();
        if (!job) break;
        co_await execute_job(job->adapter, job->scale);
    }
}

// The job fails without a change if a server responds but does not have the adapter, or if no
// server responds. Unreachable servers are updated when they return.
auto adapter_deployer::execute_job(std::string name, double scale) -> awaitable<void> {
    const auto adapter = *adapters_.find(name);
    auto visits = plan_server_checks(adapter.model);
    std::string fault =
        "no server of the model reported its adapters; servers has the reason for each";
    for (auto& v : visits) {
        co_await query_adapters(v);
        if (v.fault.empty() && !has_adapter(v.reported, adapter.id))
            v.fault = fmt::format("has no adapter {}; it was started with {}", adapter.id,
                                  v.reported.size());
        else if (v.fault.empty())
            fault.clear();
    }
    if (std::ranges::any_of(visits, [](const visit& v) { return !v.ec && !v.fault.empty(); }))
        fault = "a server does not have the adapter";
    if (fault.empty()) fault = deploy(adapter, scale);
    std::vector<adapter_job_server_result> outcomes;
    for (auto& v : visits) {
        if (fault.empty() && v.fault.empty()) co_await send_scales(v);
        outcomes.push_back(adapter_job_server_result{v.server->shown_url, v.fault});
    }
    jobs_.end_running_job(std::move(fault), std::move(outcomes), std::time(nullptr));
}

// Stores the scale first, so that a scale that cannot be stored is not deployed.
std::string adapter_deployer::deploy(const allowed_adapter& adapter, double scale) try {
    if (store_) store_->save_entry({adapter.model, adapter.name, scale});
    adapters_.set_deployed_scale(adapter.name, scale);
    write_log(log_level::info,
              fmt::format("adapter {} of {}: scale {}", adapter.name, adapter.model, scale));
    return {};
} catch (const adapter_store_error& e) {
    write_log(log_level::error, e.what());
    return "the deployed adapters cannot be saved; see the gateway's log";
}

// --- servers

auto adapter_deployer::plan_server_checks(std::string_view model) const -> std::vector<visit> {
    std::vector<visit> visits;
    for (const auto& s : servers_)
        if (s->model == model) visits.push_back({.server = s});
    return visits;
}

auto adapter_deployer::query_adapters(visit& v) -> awaitable<void> {
    diagnostics diag;
    v.reported = co_await v.server->talk.async_adapters(diag, redirect_error(use_awaitable, v.ec));
    if (v.ec) v.fault = diag.to_string();
}

auto adapter_deployer::send_scales(visit& v) -> awaitable<void> {
    diagnostics diag;
    auto standing = adapters_.deployed_scales(v.server->model);
    co_await v.server->talk.async_set_adapters(std::move(standing), diag,
                                               redirect_error(use_awaitable, v.ec));
    if (v.ec) v.fault = diag.to_string();
}

// --- periodic checks

void adapter_deployer::start_checks() {
    const bool is_needed = std::ranges::any_of(servers_, [this](const server_ptr& s) {
        return adapters_.has_deployed_adapters(s->model);
    });
    if (is_closed_ || !is_needed || is_watching_) return;
    is_watching_ = true;
    asio::co_spawn(
        executor_, [self = shared_from_this()] { return self->reconcile_all(); },
        [self = shared_from_this()](const std::exception_ptr&) { self->is_watching_ = false; });
}

auto adapter_deployer::reconcile_all() -> awaitable<void> {
    while (!is_closed_) {
        const auto servers = servers_;
        for (const auto& s : servers) {
            const bool has_any = adapters_.has_deployed_adapters(s->model);
            if (has_any) co_await repair_adapters(s);
        }
        if (is_closed_) break;
        error_code ec;
        reconcile_timer_.expires_after(reconcile_interval);
        co_await reconcile_timer_.async_wait(redirect_error(use_awaitable, ec));
    }
}

auto adapter_deployer::repair_adapters(server_ptr s) -> awaitable<void> {
    visit v;
    v.server = std::move(s);
    co_await query_adapters(v);
    // An unreachable server is checked again in the next round.
    if (v.ec || is_set(v.reported, adapters_.deployed_scales(v.server->model))) co_return;
    co_await send_scales(v);
    if (v.ec)
        write_log(log_level::warning, fmt::format("server {}: cannot set its adapters: {}",
                                                  v.server->shown_url, v.fault));
    else
        write_log(log_level::info,
                  fmt::format("server {}: its adapters were set again", v.server->shown_url));
}

}  // namespace tandem::gateway

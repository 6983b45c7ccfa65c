#include "gateway/sessions/session_admission.hpp"

#include "gateway/sessions/gateway_core.hpp"
#include "loop/clock.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <string>

namespace tandem::gateway {
namespace {

api_error make_overloaded_error(duration retry_after) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(retry_after);
    auto e = make_error(
        503, "overloaded",
        fmt::format("the servers cannot serve another listener in time; try again in {} s",
                    seconds.count()));
    e.retry_after = seconds;
    return e;
}

/// The name of a quantity in a cluster::shared_load, and the member of load_report with its value.
struct named_quantity {
    std::string name;
    double slots::load_report::*value;
};

std::array<named_quantity, 5> list_quantities(const std::string& model) {
    using report = slots::load_report;
    return {{{"demand " + model, &report::demand},
             {"sessions " + model, &report::sessions},
             {"new_sessions " + model, &report::new_sessions},
             {"supply " + model, &report::supply},
             {"observers " + model, &report::observers}}};
}

}  // namespace

bool is_server_usable(const server_status& s) {
    return !s.draining && !s.circuit_open && s.state == server_status::health::up;
}

std::optional<api_error> check_new_session(gateway_core& gateway, served_model& model) {
    refresh_speech_load(gateway, model);
    const auto retry_after = model.load.check_new_session(detail::now());
    if (!retry_after) return std::nullopt;
    gateway.metrics.count_refused_session(model.name);
    return make_overloaded_error(*retry_after);
}

void refresh_speech_load(gateway_core& gateway, served_model& model) {
    constexpr duration fresh = std::chrono::milliseconds(250);
    const auto now = detail::now();
    if (now - model.watched_at < fresh) return;
    model.watched_at = now;
    model.bots.async_servers([weak = gateway.weak_from_this(), &model](
                                 const error_code& ec, const std::vector<server_status>& servers) {
        if (const auto alive = weak.lock(); alive && !ec) update_speech_load(model, servers);
    });
}

void update_speech_load(served_model& model, const std::vector<server_status>& servers) {
    std::vector<slots::speech_load::observation> usable;
    for (const auto& s : servers)
        if (is_server_usable(s)) usable.push_back({s.url, s.tokens_per_s, s.late, s.lead_loss});
    model.load.on_servers_observed(usable, detail::now());
}

cluster::shared_load report_speech_load(served_models& models) {
    cluster::shared_load load;
    for (const auto& model : models.all()) {
        const auto report = model.load.make_report(detail::now());
        for (const auto& q : list_quantities(model.name)) load[q.name] = report.*q.value;
    }
    return load;
}

void set_speech_load_elsewhere(served_models& models, const cluster::shared_load& elsewhere) {
    for (auto& model : models.all()) {
        slots::load_report sum;
        for (const auto& q : list_quantities(model.name))
            sum.*q.value = cluster::find_quantity(elsewhere, q.name);
        model.load.set_load_of_other_processes(sum);
    }
}

}  // namespace tandem::gateway

#include "gateway/sessions/session_admission.hpp"

#include "gateway/sessions/gateway_core.hpp"
#include "loop/clock.hpp"

#include <fmt/format.h>

#include <chrono>

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

}  // namespace

bool is_usable(const server_status& s) {
    return !s.draining && !s.circuit_open && s.state == server_status::health::up;
}

std::optional<api_error> refuse_new_session(gateway_core& gateway, served_model& model) {
    watch_servers(gateway, model);
    const auto retry_after = model.load.refuse_session(detail::now());
    if (!retry_after) return std::nullopt;
    gateway.metrics.count_refused_session(model.name);
    return make_overloaded_error(*retry_after);
}

void watch_servers(gateway_core& gateway, served_model& model) {
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
        if (is_usable(s)) usable.push_back({s.url, s.tokens_per_s, s.late, s.lead_loss});
    model.load.on_servers_observed(usable, detail::now());
}

}  // namespace tandem::gateway

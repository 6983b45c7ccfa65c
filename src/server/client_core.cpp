#include "server/client_core.hpp"

#include "config/usual_values.hpp"
#include "loop/clock.hpp"
#include "recording/playback_transport.hpp"
#include "recording/recording_access.hpp"
#include "recording/recording_transport.hpp"
#include "server/going_on.hpp"
#include "slots/server_builds.hpp"
#include "transport/curl_transport.hpp"
#include "transport/server_url.hpp"

#include "tandem/config_fields.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace tandem::detail {
namespace {

using access = recording_access;

std::unique_ptr<transport::http_transport> make_transport(
    const boost::asio::any_io_executor& executor, const config& c) {
    const auto shown = transport::without_credentials(c.url);
    auto t =
        c.play ? make_playback_transport(executor, access::playback_of(*c.play), shown, c.peek_hold)
               : transport::make_curl_transport(executor, transport::curl_options_of(c));
    if (!c.record) return t;
    return make_recording_transport(std::move(t), access::writer_of(*c.record), shown);
}

}  // namespace

client_core::client_core(std::shared_ptr<event_home> home, tandem::config c,
                         std::shared_ptr<server_use> use)
    : home_(std::move(home)),
      config_(std::move(c)),
      transport_(make_transport(home_->executor(), config_)),
      calls_(std::in_place, home_->executor(), *transport_, config_.request_timeout),
      use_(std::move(use)),
      keeper_(*this, use_->slots) {}

std::shared_ptr<client_core> client_core::make(std::shared_ptr<event_home> home, tandem::config c,
                                               const slot_defaults& usual) {
    auto use = std::make_shared<server_use>(c, usual);
    return make(std::move(home), std::move(c), std::move(use));
}

std::shared_ptr<client_core> client_core::make(std::shared_ptr<event_home> home, tandem::config c,
                                               std::shared_ptr<server_use> use) {
    auto& place = *home;
    std::shared_ptr<client_core> core(
        new client_core(std::move(home), std::move(c), std::move(use)));
    core->keeper_.join();
    place.add(core);
    if (const auto remark = std::exchange(core->use_->remark, std::nullopt))
        boost::asio::post(core->executor(), [weak = std::weak_ptr(core), remark] {
            if (const auto made = weak.lock()) made->log_lines({*remark});
        });
    return core;
}

wire::prompt_report client_core::prompt_report() const {
    const auto known = keeper_.props();
    return known && slots::tells_progress(known->build_info) ? wire::prompt_report::progress
                                                             : wire::prompt_report::timings;
}

void client_core::prepare(prepared done) {
    if (shut_down_) return done(errc::client_destroyed, {}, {});
    // What others in the process know does not tell whether this client can use the server.
    if (const auto known = keeper_.props(); known && has_met_server()) return done({}, {}, *known);
    preparing_.push_back(std::move(done));
    if (preparing_.size() > 1) return;
    calls_->props([this](error_code ec, const diagnostics& diag, const server_props& props) {
        props_arrived(ec, diag, props);
    });
}

void client_core::log_lines(const std::vector<log_line>& lines) const {
    for (const auto& line : lines) log(line.level, "{}", line.text);
}

// Who asked tells the error.
void client_core::props_arrived(error_code ec, const diagnostics& diag, const server_props& props) {
    const auto self = shared_from_this();
    if (!ec) {
        const bool is_first = !std::exchange(use_->has_met_server, true);
        const auto lines = keeper_.learn(props);
        log_lines(lines);
        if (is_first || !lines.empty()) warn_of_guard();
    }
    for (const auto& done : std::exchange(preparing_, {})) done(ec, diag, props);
}

// check() has seen to a guard that is set.
void client_core::warn_of_guard() const {
    const auto guard = reuse_guard();
    if (fixed_guard(config_) || config_.queue_timeout > guard) return;
    log(log_level::warning,
        "queue_timeout is {}, not over the reuse guard of {} that this build needs: requests that "
        "wait for the guard fail",
        to_string(config_.queue_timeout), to_string(guard));
}

void client_core::request_failed(const error_code& ec) {
    // A failure of a client that never reached the server says nothing about the server.
    if (has_met_server()) keeper_.request_failed(ec);
    if (kind_of(ec, true) == failure_kind::away) use_->circuit.not_reached(now());
}

void client_core::completion_failed(const error_code& ec, time_point sent) {
    request_failed(ec);
    if (kind_of(ec, true) != failure_kind::broken) return;
    auto& circuit = use_->circuit;
    if (circuit.failed(now(), sent))
        log(log_level::warning, "server {}: {} requests in a row failed: it gets none for {:.1f} s",
            shown_url(), circuit.failures(), to_ms(*circuit.open_until() - now()) / 1000);
}

void client_core::server_works() {
    if (use_->circuit.succeeded()) log(log_level::info, "server {}: answers again", shown_url());
}

std::string client_core::shown_url() const {
    return transport::without_credentials(config_.url);
}

std::optional<failure> client_core::refuses(time_point now) {
    auto& circuit = use_->circuit;
    if (circuit.allows(now)) {
        circuit.sent(now);
        return std::nullopt;
    }
    return failure{
        errc::circuit_open,
        {.client_message = fmt::format(
             "the last {} requests to {} failed; it is tried again in {:.1f} s", circuit.failures(),
             shown_url(), to_ms(*circuit.open_until() - now) / 1000)}};
}

void client_core::ran_on_another_slot(int asked, int used) {
    log_lines(keeper_.ran_on_another_slot(asked, used));
}

void client_core::shut_down(error_code ec) {
    const auto self = shared_from_this();
    shut_down_ = true;
    keeper_.stop();
    calls_->cancel(ec);
}

// Its loop may end from now on: others must not post to it.
void client_core::home_closed() {
    shut_down(errc::client_destroyed);
    keeper_.leave();
}

void client_core::context_ended() noexcept {
    shut_down_ = true;
    std::exchange(preparing_, {}).clear();
    calls_.reset();
    keeper_.context_ended();
    transport_.reset();
}

}  // namespace tandem::detail

#include "probe/doctor_probe.hpp"

#include "config/config_defaults.hpp"
#include "probe/server_measurement.hpp"
#include "transport/server_url.hpp"
#include "transport/tls_failure.hpp"

#include "tandem/config_fields.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tandem::command {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr auto load_interval = 250ms;
constexpr int round_trips = 5;
// Time limit of all measurements. After it, the report uses the measurements so far.
constexpr auto measuring_limit = 30s;

bool is_on_this_machine(const std::string& host) {
    return host == "localhost" || host == "::1" || host == "[::1]" || host.starts_with("127.");
}

doctor_facts known_before(const config& c) {
    const auto url = transport::parse_server_url(c.server.url).url;
    doctor_facts facts;
    facts.url = url.shown;
    facts.https = url.https;
    facts.is_private = url.https || is_on_this_machine(url.host);
    facts.settings = {.slots = c.server.slots == 0 ? std::optional<int>() : c.server.slots,
                      .reuse_guard = detail::configured_reuse_guard(c),
                      .pacing = std::string(to_string(c.pacing.mode.value_or(pacing::automatic))),
                      .has_key = !c.server.api_key.empty()};
    return facts;
}

// Returns true for errors that a request with http to an https port causes, or vice versa. A port
// with an untrusted certificate speaks https, even if it explains so to a request with http.
bool may_be_wrong_scheme(const failure& f) {
    if (transport::is_untrusted_certificate(f)) return false;
    constexpr std::array codes{errc::tls_failed, errc::connect_timeout, errc::stream_incomplete,
                               errc::bad_response, errc::bad_request};
    return std::ranges::find(codes, f.ec) != codes.end();
}

// Drops the API key and the password, because plain HTTP would expose them.
config with_other_scheme(config c) {
    const auto url = transport::parse_server_url(c.server.url).url;
    c.server.url = (url.https ? "http" : "https") + url.shown.substr(url.shown.find(':'));
    c.server.api_key.clear();
    return c;
}

}  // namespace

doctor_probe::doctor_probe(boost::asio::io_context& ioc, const config& settings, probe_rules rules)
    : rules_(rules),
      facts_(known_before(settings)),
      settings_(settings),
      session_(ioc, settings),
      ioc_(ioc),
      limit_(ioc) {}

void doctor_probe::start(std::function<void()> on_done) {
    start_coroutine(ioc_.get_executor(), run(), [this, on_done = std::move(on_done)] {
        limit_.cancel();
        on_done();
    });
}

void doctor_probe::stop() {
    facts_.stopped = true;
    session_.stop();
    if (other_session_) other_session_->stop();
}

awaitable<void> doctor_probe::run() {
    co_await connect();
    if (facts_.health.failed()) co_await try_other_scheme();
    if (!facts_.health.ok()) co_return;
    co_await query_server();
    if (!facts_.props.ok()) co_return;
    co_await measure_round_trip();
    if (rules_.measure && !facts_.stopped) co_await measure();
}

awaitable<void> doctor_probe::connect() {
    doing_ = "asking " + facts_.url;
    const auto started = clock::now();
    for (;;) {
        facts_.health = co_await session_.health();
        const auto waited = clock::now() - started;
        const bool loading = facts_.health.fault.ec == errc::model_loading;
        if (loading || facts_.loading_ms > 0) facts_.loading_ms = to_ms(waited);
        if (!loading || waited >= rules_.load_wait) co_return;
        doing_ = "waiting for the model to load";
        co_await session_.pause(std::min<duration>(load_interval, rules_.load_wait - waited));
    }
}

awaitable<void> doctor_probe::try_other_scheme() {
    if (!may_be_wrong_scheme(facts_.health.fault)) co_return;
    doing_ = "trying the other URL scheme (http or https)";
    other_session_.emplace(ioc_, with_other_scheme(settings_));
    const auto health = co_await other_session_->health();
    // A failed handshake does not prove https, because a port that speaks plain HTTP also causes a
    // failed handshake.
    facts_.other_scheme_answers =
        health.ok() || (health.done && health.fault.diag.http_status != 0) ||
        (health.done && transport::is_untrusted_certificate(health.fault));
}

awaitable<void> doctor_probe::try_without_key() {
    auto without_key = settings_;
    without_key.server.api_key.clear();
    other_session_.emplace(ioc_, without_key);
    const auto props = co_await other_session_->props();
    if (props.ok() || props.fault.ec == errc::unauthorized) facts_.requires_key = !props.ok();
}

awaitable<void> doctor_probe::measure_round_trip() {
    std::vector<double> times;
    for (int i = 0; i < round_trips && !facts_.stopped; ++i) {
        const auto started = clock::now();
        const auto health = co_await session_.health();
        if (health.ok()) times.push_back(to_ms(clock::now() - started));
    }
    if (times.empty()) co_return;
    std::ranges::sort(times);
    facts_.round_trip_ms = times[times.size() / 2];
}

awaitable<void> doctor_probe::query_server() {
    doing_ = "querying the server";
    facts_.props = co_await session_.props();
    if (!facts_.props.ok()) co_return;
    if (facts_.settings.has_key) co_await try_without_key();
    facts_.chat_template = co_await session_.chat_template();
    if (facts_.chat_template.ok())
        facts_.call_mark = co_await session_.call_mark(facts_.props.value);
    if (facts_.chat_template.ok())
        facts_.thinking = co_await session_.thinking(facts_.props.value.chat_template);
    facts_.slots = co_await session_.slots();
    facts_.busy_slots = static_cast<int>(
        std::ranges::count_if(facts_.slots.value, [](const auto& s) { return s.processing; }));
}

awaitable<void> doctor_probe::measure() {
    limit_.expires_after(measuring_limit);
    limit_.async_wait([this](error_code ec) {
        if (ec) return;
        facts_.measured.value.ran_out = true;
        session_.stop();
    });
    co_await server_measurement(session_, facts_, [this](std::string what) {
        doing_ = std::move(what);
    }).run();
}

}  // namespace tandem::command

#include "server/server_link.hpp"

#include "base/format_count.hpp"
#include "config/config_defaults.hpp"
#include "loop/clock.hpp"
#include "recording/playback_transport.hpp"
#include "recording/recording_access.hpp"
#include "recording/recording_transport.hpp"
#include "server/retry_policy.hpp"
#include "slots/server_build_faults.hpp"
#include "transport/curl_transport.hpp"
#include "transport/server_url.hpp"

#include "tandem/config_fields.hpp"

#include <boost/asio/post.hpp>

namespace tandem::detail {
namespace {

using access = recording_access;

std::unique_ptr<transport::http_transport> make_transport(
    const boost::asio::any_io_executor& executor, const config& c, const instruments& i) {
    const auto shown = transport::without_credentials(c.server.url);
    auto t = i.play ? make_playback_transport(executor, access::get_playback(*i.play), shown,
                                              c.chunking.peek_hold)
                    : transport::make_curl_transport(executor, transport::curl_options_of(c));
    if (!i.record) return t;
    return make_recording_transport(std::move(t), access::get_writer(*i.record), shown);
}

}  // namespace

server_link::server_link(std::shared_ptr<strand_scope> scope, tandem::config c,
                         const instruments& i, std::shared_ptr<server_usage> use)
    : scope_(std::move(scope)),
      config_(std::move(c)),
      transport_(make_transport(scope_->executor(), config_, i)),
      calls_(std::in_place, scope_->executor(), *transport_, config_.limits.request_timeout),
      use_(std::move(use)),
      manager_(*this, use_->slots),
      marks_loader_(config_.speech.reasoning_tags) {}

std::shared_ptr<server_link> server_link::make(std::shared_ptr<strand_scope> scope,
                                               tandem::config c, const instruments& i,
                                               const slot_defaults& new_defaults) {
    auto use = std::make_shared<server_usage>(c, new_defaults, choose_slot_scope(i));
    return make(std::move(scope), std::move(c), i, std::move(use));
}

std::shared_ptr<server_link> server_link::make(std::shared_ptr<strand_scope> scope,
                                               tandem::config c, const instruments& i,
                                               std::shared_ptr<server_usage> use) {
    std::shared_ptr<server_link> link(
        new server_link(std::move(scope), std::move(c), i, std::move(use)));
    link->manager_.register_self();
    link->scope_->add_listener(link);
    if (const auto warning = std::exchange(link->use_->startup_warning, std::nullopt))
        boost::asio::post(link->executor(), [weak = std::weak_ptr(link), warning] {
            if (const auto made = weak.lock()) made->log_lines({*warning});
        });
    return link;
}

wire::prompt_progress_mode server_link::prompt_progress_mode() const {
    const auto known = manager_.props();
    return known && slots::reports_prompt_progress(known->build_info)
               ? wire::prompt_progress_mode::progress
               : wire::prompt_progress_mode::timings;
}

void server_link::load_props(props_handler done) {
    if (shut_down_) return done(errc::client_destroyed, {.client_message = owner_destroyed}, {});
    // Another client in this process may know the server, but that does not show whether this
    // client can use it.
    if (const auto known = manager_.props(); known && has_read_props()) return done({}, {}, *known);
    preparing_.push_back(std::move(done));
    if (preparing_.size() > 1) return;
    calls_->props([this](error_code ec, const diagnostics& diag, const server_props& props) {
        on_props_received(ec, diag, props);
    });
}

void server_link::load_tool_call_mark(marks_handler done) {
    load_from_template(&server::template_marks_loader::load, std::move(done));
}

void server_link::load_word_marks(marks_handler done) {
    load_from_template(&server::template_marks_loader::load_words, std::move(done));
}

void server_link::load_from_template(load_marks load, marks_handler done) {
    load_props([this, load, done = std::move(done)](error_code ec, const diagnostics& diag,
                                                    const server_props& props) {
        if (ec) return done(ec, diag, {});
        // The handler before this one may have shut the link down.
        if (shut_down_)
            return done(errc::client_destroyed, {.client_message = owner_destroyed}, {});
        marks_loader_.use_template(props);
        (marks_loader_.*load)(*calls_, done);
    });
}

void server_link::log_lines(const std::vector<log_line>& lines) const {
    for (const auto& line : lines) log(line.level, "{}", line.text);
}

// Does not log errors, because the callers report them.
void server_link::on_props_received(error_code ec, const diagnostics& diag,
                                    const server_props& props) {
    const auto self = shared_from_this();
    if (!ec) {
        const bool is_first = !std::exchange(use_->has_read_props, true);
        const auto lines = manager_.store_props(props);
        log_lines(lines);
        if (is_first || !lines.empty()) warn_about_reuse_guard();
    }
    for (const auto& done : std::exchange(preparing_, {})) done(ec, diag, props);
}

// Warns only about a guard that depends on the build, because check() has validated a configured
// one.
void server_link::warn_about_reuse_guard() const {
    const auto guard = reuse_guard();
    if (configured_reuse_guard(config_) || config_.limits.queue_timeout > guard) return;
    log(log_level::warning,
        "queue_timeout is {}, not longer than the reuse guard of {} that this build needs: "
        "requests that wait for the guard fail",
        to_string(config_.limits.queue_timeout), to_string(guard));
}

void server_link::on_request_failed(const failure& why) {
    // If this client has never reached the server, a failure shows nothing about the server.
    if (has_read_props()) manager_.on_request_failed(why.ec);
    if (classify_failure(why, true) == failure_kind::away) use_->circuit.on_unreachable(now());
}

void server_link::on_completion_failed(const failure& why, time_point sent) {
    on_request_failed(why);
    if (classify_failure(why, true) != failure_kind::broken) return;
    auto& circuit = use_->circuit;
    if (circuit.record_failure(now(), sent))
        log(log_level::warning,
            "server {}: {} consecutive requests failed: it is not used for {:.1f} s", shown_url(),
            circuit.failures(), to_ms(*circuit.open_until() - now()) / 1000);
}

void server_link::report_server_success() {
    if (use_->circuit.record_success())
        log(log_level::info, "server {}: answers again", shown_url());
}

std::string server_link::shown_url() const {
    return transport::without_credentials(config_.server.url);
}

std::optional<failure> server_link::admit_request(time_point now) {
    auto& circuit = use_->circuit;
    if (circuit.allows(now)) {
        circuit.record_request(now);
        return std::nullopt;
    }
    return failure{
        errc::circuit_open,
        {.client_message = fmt::format("the last {} to {} failed; next try in {:.1f} s",
                                       format_count(circuit.failures(), "request"), shown_url(),
                                       to_ms(*circuit.open_until() - now) / 1000)}};
}

void server_link::report_slot_mismatch(int asked, int used) {
    log_lines(manager_.report_slot_mismatch(asked, used));
}

void server_link::shut_down(error_code ec) {
    const auto self = shared_from_this();
    shut_down_ = true;
    manager_.stop();
    calls_->cancel(ec);
}

// Leaves the slot table now: the loop may end after this call, so other loops must not post to it.
void server_link::on_owner_destroyed() {
    shut_down(errc::client_destroyed);
    manager_.unregister_self();
}

void server_link::on_context_destroyed() noexcept {
    shut_down_ = true;
    std::exchange(preparing_, {}).clear();
    marks_loader_.forget();
    calls_.reset();
    manager_.on_context_destroyed();
    transport_.reset();
}

}  // namespace tandem::detail

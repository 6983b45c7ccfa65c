#include "gateway/telemetry/gateway_metrics.hpp"

#include "gateway/access/routes.hpp"
#include "gateway/telemetry/collected_metrics.hpp"
#include "gateway/telemetry/metric_label_values.hpp"
#include "transport/server_url.hpp"

#include <algorithm>
#include <iterator>
#include <prometheus/text_serializer.h>
#include <utility>

namespace tandem::gateway {
namespace {

constexpr int switching_protocols = 101;
// Maximum number of server labels. Without it, servers that come and go would add series forever.
constexpr std::size_t max_servers = 256;

std::string shown_server(std::string_view url) {
    return transport::without_credentials(transport::without_address(url));
}

}  // namespace

// Creates the series of all routes at 0, so that rates are correct from the first event.
gateway_metrics::gateway_metrics(std::int64_t started_at) {
    register_gauges(registry_, "tandem_start_time_seconds", "Unix time of the start.")
        .Add({})
        .Set(static_cast<double>(started_at));
    for (const auto& r : all_routes()) {
        const bool is_socket = is_websocket(r.endpoint);
        const std::string path(r.path);
        const auto status = status_label(is_socket ? switching_protocols : 200);
        requests_.Add({{"route", path}, {"status", status}});
        if (!is_socket) request_duration_.Add({{"route", path}}, lifetime_buckets);
    }
}

void gateway_metrics::add_servers(const std::string& model, const std::vector<std::string>& urls) {
    if (models_.insert(model).second) create_voice_series(model);
    for (const auto& url : urls)
        if (servers_.size() < max_servers && servers_.insert(shown_server(url)).second)
            create_server_series(model, url);
}

void gateway_metrics::create_server_series(const std::string& model, const std::string& url) {
    const auto series = find_reply_series(model, url);
    series_.emplace(series.labels, series);
    for (const auto why :
         {finish_reason::eos, finish_reason::stop_word, finish_reason::length,
          finish_reason::tool_calls, finish_reason::interrupted, finish_reason::error})
        series.end_counter(why);
    for (const auto code : reply_errors) series.failure_counter(code);
    using cause = cache_break::cause;
    for (const auto why : {cause::system_prompt, cause::tools, cause::trimmed, cause::history})
        series.cache_break_counter(why);
    server_values_.create_series(shown_server(url));
}

void gateway_metrics::create_voice_series(const std::string& model) {
    set_speech_load(model, 0);
    sessions_refused_.Add({{"model", model}});
    voice_turn_.Add({{"model", model}}, wait_buckets);
    voice_to_voice_.Add({{"model", model}}, wait_buckets);
    for_each_voice_part(voice_timing(), [&](const char* part, duration) {
        voice_part_.Add({{"model", model}, {"part", part}}, wait_buckets);
    });
}

// --- labels and series

std::string gateway_metrics::server_label(std::string_view url) const {
    if (url.empty()) return no_label;
    auto shown = shown_server(url);
    return servers_.contains(shown) ? std::move(shown) : other_label;
}

std::string gateway_metrics::model_label(std::string_view model) const {
    return models_.contains(model) ? std::string(model) : other_label;
}

// The series of served models exist from the start; the registry looks up all other series.
reply_series gateway_metrics::find_reply_series(std::string_view model, std::string_view server) {
    prometheus::Labels labels{{"server", server_label(server)}, {"model", model_label(model)}};
    const auto found = series_.find(labels);
    return found != series_.end() ? found->second : reply_series{registry_, std::move(labels)};
}

// --- events

void gateway_metrics::record_request(std::string_view route, int status, duration took) {
    const auto path = route_label(route);
    requests_.Add({{"route", path}, {"status", status_label(status)}}).Increment();
    if (status == switching_protocols) return;
    request_duration_.Add({{"route", path}}, lifetime_buckets).Observe(to_seconds(took));
}

void gateway_metrics::record_chunk(std::string_view model, const chunk& c) {
    if (c.id.seq == 0) return;
    find_reply_series(model, c.metrics.server).chunk_gap.Observe(ms_to_seconds(c.metrics.gap_ms));
}

void gateway_metrics::record_reply(std::string_view model, const reply_result& r, bool by_chunk) {
    auto s = find_reply_series(model, r.servers.empty() ? std::string_view() : r.servers.back());
    record_token_usage(s, r.usage);
    record_slot_metrics(s, r.metrics);
    if (const auto after = time_to_first_token(r)) s.first_token.Observe(*after);
    if (by_chunk && r.metrics.first_chunk_ms >= 0)
        s.first_chunk.Observe(ms_to_seconds(r.metrics.first_chunk_ms));
    if (r.cache_break) s.cache_break_counter(r.cache_break->why).Increment();
    if (r.finish_reason == finish_reason::error) s.failure_counter(r.error).Increment();
    s.end_counter(r.finish_reason).Increment();
}

void gateway_metrics::record_voice_latency(std::string_view model, duration since_asked,
                                           const std::optional<voice_timing>& timing) {
    const prometheus::Labels of_model{{"model", model_label(model)}};
    voice_turn_.Add(of_model, wait_buckets).Observe(to_seconds(since_asked));
    if (!timing) return;
    voice_to_voice_.Add(of_model, wait_buckets).Observe(to_seconds(timing->total()));
    for_each_voice_part(*timing, [&](const char* name, duration part) {
        auto labels = of_model;
        labels.emplace("part", name);
        voice_part_.Add(labels, wait_buckets).Observe(to_seconds(part));
    });
}

void gateway_metrics::count_refused_session(std::string_view model) {
    sessions_refused_.Add({{"model", model_label(model)}}).Increment();
}

void gateway_metrics::count_dropped_traces(std::size_t turns) {
    traces_dropped_.Increment(static_cast<double>(turns));
}

// --- current values

void gateway_metrics::set_load(const gateway_load& load) {
    connections_.Set(static_cast<double>(load.connections));
    voice_sockets_.Set(static_cast<double>(load.voice_sockets));
    voice_sessions_.Set(static_cast<double>(load.voice_sessions));
}

void gateway_metrics::set_speech_load(std::string_view model, double load) {
    speech_load_.Add({{"model", model_label(model)}}).Set(load);
}

void gateway_metrics::set_servers(const std::vector<server_status>& servers) {
    server_values_.clear();
    for (const auto& s : servers) server_values_.add(server_label(s.url), s);
    server_values_.remove_unlisted();
}

std::string gateway_metrics::to_prometheus_text(
    const process_stats& process, const std::optional<cluster::cluster_status>& cluster) const {
    auto families = registry_.Collect();
    families.push_back(make_build_info_metric());
    std::ranges::move(make_process_metrics(process), std::back_inserter(families));
    if (cluster) std::ranges::move(make_cluster_metrics(*cluster), std::back_inserter(families));
    return prometheus::TextSerializer().Serialize(families);
}

}  // namespace tandem::gateway

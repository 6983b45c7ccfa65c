#include "gateway/sessions/gateway_core.hpp"

#include "gateway/cluster/cluster_limits.hpp"
#include "gateway/sessions/session_admission.hpp"

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <string>
#include <utility>

namespace tandem::gateway {
namespace {

voice_session_table::random_source bits_of(std::random_device& random) {
    return [&random] {
        voice_session_table::random_bits bits{};
        for (std::size_t i = 0; i < bits.size(); i += sizeof(std::random_device::result_type)) {
            const auto word = random();
            std::memcpy(&bits[i], &word, sizeof word);
        }
        return bits;
    };
}

/// Forwards log lines from any thread.
logger log_from_other_threads(const boost::asio::any_io_executor& executor, const logger& log) {
    if (!log.write) return {};
    return {log.level, [executor, log](log_level level, std::string_view text) {
                boost::asio::post(
                    executor, [log, level, line = std::string(text)] { log.write(level, line); });
            }};
}

std::unique_ptr<trace_exporter> make_exporter(gateway_core& g) {
    const auto& o = g.options.traces;
    if (o.endpoint.empty()) return nullptr;
    const auto& network = g.options.service.client.server;
    transport::curl_options where{.url = o.endpoint,
                                  .api_key = {},
                                  .ca_file = network.ca_file,
                                  .ca_path = network.ca_path,
                                  .proxy = network.proxy,
                                  .peer = "the collector"};
    where.headers.reserve(o.headers.size());
    for (const auto& [name, value] : o.headers)
        where.headers.push_back(fmt::format("{}: {}", name, value));
    return std::make_unique<trace_exporter>(
        std::move(where),
        trace_exporter::callbacks{
            .dropped = [&g](std::size_t turns) { g.metrics.count_dropped_traces(turns); },
            .log = log_from_other_threads(g.executor, g.options.instruments.log)});
}

std::vector<config> settings_of(const service_config& service, const model_servers& model) {
    std::vector<config> all;
    all.reserve(model.servers.size());
    for (const auto& url : model.servers) {
        all.push_back(service.client);
        all.back().server.url = url;
    }
    return all;
}

// The gateway joins before its first request, so that no request uses a slot that another gateway
// holds.
std::shared_ptr<cluster::cluster_member> join_cluster(const gateway_core& g) {
    const auto& o = g.options;
    if (!o.cluster) return nullptr;
    auto settings = *o.cluster;
    settings.ca_file = o.service.client.server.ca_file;
    auto member =
        std::make_shared<cluster::cluster_member>(g.executor, std::move(settings), o.instruments);
    for (const auto& model : list_models(o))
        member->replace_servers(model.name, settings_of(o.service, model));
    return member;
}

}  // namespace

gateway_core::gateway_core(const boost::asio::any_io_executor& its_executor, gateway_options o)
    : executor(its_executor),
      options(std::move(o)),
      deployer(std::make_shared<adapter_deployer>(executor, options)),
      models(executor, options, deployer->adapters()),
      cluster(join_cluster(*this)),
      gate(options.keys),
      filter(options.prompts),
      answers(options.answer_cache),
      metrics(started_at),
      traces(make_exporter(*this)),
      known_sessions(options.voice, bits_of(random)) {
    for (const auto& m : list_models(options)) metrics.add_servers(m.name, m.servers);
    if (cluster) {
        gate.share_limits(cluster_limits::make(executor, cluster));
        cluster->set_drain_handler([this](const auto& server, bool is_drained) {
            models.set_server_drained(server, is_drained);
        });
        cluster->add_connection_handler([this] { voices.rewrite_records(); });
        cluster->set_release_handler(
            [this](const auto& session) { voices.release_to_gateway(session); });
        cluster->share_load([this] { return report_speech_load(models); },
                            [this](const auto& load) { set_speech_load_elsewhere(models, load); });
        cluster->start();
    }
    deployer->start_checks();
}

void gateway_core::share_servers(const model_servers& servers) {
    if (cluster) cluster->replace_servers(servers.name, settings_of(options.service, servers));
}

void gateway_core::set_server_drained(const std::string& server, bool is_drained) {
    models.set_server_drained(server, is_drained);
    if (cluster) cluster->set_server_drained(server, is_drained);
}

std::optional<traced_turn> gateway_core::begin_trace(std::string_view traceparent, time_point now) {
    if (!traces) return std::nullopt;
    traced_turn turn{.context = traces->begin_span(traceparent), .began = now};
    if (!turn.context.is_sampled) return std::nullopt;
    return turn;
}

void gateway_core::end_trace(traced_turn turn, time_point now) {
    if (!traces) return;
    turn.ended = now;
    turn.ended_wall = std::chrono::system_clock::now();
    traces->add(std::move(turn));
}

}  // namespace tandem::gateway

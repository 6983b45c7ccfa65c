#include "gateway/telemetry/gateway_metrics.hpp"

#include "gateway/access/routes.hpp"
#include "gateway/telemetry/cluster_metrics.hpp"
#include "gateway/telemetry/metric_labels.hpp"
#include "gateway/telemetry/metric_values.hpp"
#include "gateway/telemetry/process_metrics.hpp"
#include "gateway/telemetry/reply_series.hpp"
#include "gateway/telemetry/server_metrics.hpp"
#include "transport/server_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <set>
#include <utility>

namespace tandem::gateway {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Labels;

constexpr int switching_protocols = 101;
// Labels of servers, which may come and go.
constexpr std::size_t most_servers = 256;

namespace {

std::string shown_server(std::string_view url) {
    return transport::without_credentials(transport::without_address(url));
}

}  // namespace

class gateway_metrics::registry {
 public:
    registry(const std::vector<measured_server>& served, std::int64_t started_at) {
        started_at_.Set(static_cast<double>(started_at));
        for (const auto& s : served) models_.insert(s.model);
        // Counters start at 0 rather than absent, so that rates are correct from the first event.
        for (const auto& r : all_routes()) begin_route(r);
        add_servers(served);
        for (const auto& model : models_) begin_voice(model);
    }

    void request_ended(std::string_view route, int status, duration took) {
        const auto path = route_label(route);
        requests_.Add({{"route", path}, {"status", status_label(status)}}).Increment();
        if (status == switching_protocols) return;
        request_duration_.Add({{"route", path}}, lives).Observe(seconds(took));
    }

    void chunk_came(std::string_view model, const chunk& c) {
        if (c.id.seq == 0) return;
        replies_of(model, c.metrics.server).chunk_gap.Observe(seconds_of_ms(c.metrics.gap_ms));
    }

    void reply_ended(std::string_view model, const reply_result& r, bool by_chunk) {
        const auto server = r.servers.empty() ? std::string_view() : r.servers.back();
        auto s = replies_of(model, server);
        count_tokens(s, r.usage);
        count_slots(s, r.metrics);
        if (const auto after = first_token_after(r)) s.first_token.Observe(*after);
        if (by_chunk && r.metrics.first_chunk_ms >= 0)
            s.first_chunk.Observe(seconds_of_ms(r.metrics.first_chunk_ms));
        count_end(labels_of(model, server), r);
    }

    void record_voice_latency(std::string_view model, duration since_asked,
                              const std::optional<voice_timing>& timing) {
        const Labels of_model{{"model", model_label(model)}};
        voice_turn_.Add(of_model, waits).Observe(seconds(since_asked));
        if (!timing) return;
        voice_to_voice_.Add(of_model, waits).Observe(seconds(timing->total()));
        for_each_voice_part(*timing, [&](const char* name, duration part) {
            auto labels = of_model;
            labels.emplace("part", name);
            voice_part_.Add(labels, waits).Observe(seconds(part));
        });
    }

    void set_load(const gateway_load& load) {
        connections_.Set(static_cast<double>(load.connections));
        voice_sockets_.Set(static_cast<double>(load.voice_sockets));
        voice_sessions_.Set(static_cast<double>(load.voice_sessions));
    }

    void set_speech_load(std::string_view model, double load) {
        speech_load_.Add({{"model", model_label(model)}}).Set(load);
    }

    void count_refused_session(std::string_view model) {
        sessions_refused_.Add({{"model", model_label(model)}}).Increment();
    }

    void count_dropped_traces(std::size_t turns) {
        traces_dropped_.Increment(static_cast<double>(turns));
    }

    void add_servers(const std::vector<measured_server>& served) {
        for (const auto& s : served)
            if (servers_.size() < most_servers && servers_.insert(shown_server(s.url)).second)
                begin_server(s);
    }

    void set_servers(const std::vector<server_status>& servers) {
        server_values_.clear();
        for (const auto& s : servers) server_values_.add(server_label(s.url), s);
        server_values_.forget_others();
    }

    auto collect() const { return registry_.Collect(); }

 private:
    void begin_route(const route& r) {
        const bool is_socket = is_websocket(r.endpoint);
        const std::string path(r.path);
        requests_.Add(
            {{"route", path}, {"status", status_label(is_socket ? switching_protocols : 200)}});
        if (!is_socket) request_duration_.Add({{"route", path}}, lives);
    }

    void begin_server(const measured_server& s) {
        const auto labels = labels_of(s.model, s.url);
        series_.emplace(labels, make_series(labels));
        for (const auto why :
             {finish_reason::eos, finish_reason::stop_word, finish_reason::length,
              finish_reason::tool_calls, finish_reason::interrupted, finish_reason::error})
            ended(labels, why);
        for (const auto code : reply_error_labels()) failed(labels, code);
        using cause = cache_break::cause;
        for (const auto why : {cause::system_prompt, cause::tools, cause::trimmed, cause::history})
            cache_broke(labels, why);
        server_values_.begin(shown_server(s.url));
    }

    void begin_voice(const std::string& model) {
        set_speech_load(model, 0);
        sessions_refused_.Add({{"model", model}});
        voice_turn_.Add({{"model", model}}, waits);
        voice_to_voice_.Add({{"model", model}}, waits);
        for_each_voice_part(voice_timing(), [&](const char* part, duration) {
            voice_part_.Add({{"model", model}, {"part", part}}, waits);
        });
    }

    Family<Counter>& counters(const char* name, const char* help) {
        return prometheus::BuildCounter().Name(name).Help(help).Register(registry_);
    }
    Family<Gauge>& gauges(const char* name, const char* help) {
        return prometheus::BuildGauge().Name(name).Help(help).Register(registry_);
    }
    Family<Histogram>& histograms(const char* name, const char* help) {
        return prometheus::BuildHistogram().Name(name).Help(help).Register(registry_);
    }

    std::string server_label(std::string_view url) const {
        if (url.empty()) return no_label;
        auto shown = shown_server(url);
        return servers_.contains(shown) ? std::move(shown) : other_label;
    }
    std::string model_label(std::string_view model) const {
        return models_.contains(model) ? std::string(model) : other_label;
    }
    Labels labels_of(std::string_view model, std::string_view server) const {
        return {{"server", server_label(server)}, {"model", model_label(model)}};
    }

    // The series of served models exist from the start; the registry looks up all others.
    reply_series replies_of(std::string_view model, std::string_view server) {
        const auto labels = labels_of(model, server);
        const auto found = series_.find(labels);
        return found != series_.end() ? found->second : make_series(labels);
    }

    reply_series make_series(const Labels& labels) {
        const auto tokens = [&](const char* kind) -> Counter& {
            auto with_kind = labels;
            with_kind.emplace("kind", kind);
            return tokens_.Add(with_kind);
        };
        return {.requests = server_requests_.Add(labels),
                .cuts = cuts_.Add(labels),
                .warmings = warmings_.Add(labels),
                .resumptions = resumptions_.Add(labels),
                .guard_waits = guard_waits_.Add(labels),
                .evaluated = tokens("prompt_evaluated"),
                .cached = tokens("prompt_cached"),
                .warmed = tokens("prompt_warmed"),
                .prefilled = tokens("prompt_prefilled"),
                .generated = tokens("generated"),
                .draft_wasted = tokens("draft_wasted"),
                .drafted = tokens_drafted_.Add(labels),
                .reasoning = tokens_reasoning_.Add(labels),
                .reasoning_cuts = reasoning_cuts_.Add(labels),
                .heard = tokens_heard_.Add(labels),
                .wasted = tokens_wasted_.Add(labels),
                .reasoning_time = reasoning_time_.Add(labels, waits),
                .first_token = first_token_.Add(labels, waits),
                .first_chunk = first_chunk_.Add(labels, waits),
                .chunk_gap = chunk_gap_.Add(labels, waits),
                .slot_wait = slot_wait_.Add(labels, waits),
                .guard_wait = guard_wait_.Add(labels, waits),
                .cancel_to_idle = cancel_to_idle_.Add(labels, waits),
                .duration = reply_duration_.Add(labels, lives),
                .cache_ratio = cache_ratio_.Add(labels, shares)};
    }

    void count_end(Labels labels, const reply_result& r) {
        if (r.cache_break) cache_broke(labels, r.cache_break->why).Increment();
        if (r.finish_reason == finish_reason::error) failed(labels, r.error).Increment();
        ended(std::move(labels), r.finish_reason).Increment();
    }

    Counter& cache_broke(Labels labels, cache_break::cause why) {
        labels.emplace("cause", to_string(why));
        return cache_breaks_.Add(labels);
    }

    Counter& ended(Labels labels, finish_reason why) {
        labels.emplace("finish_reason", to_string(why));
        return replies_.Add(labels);
    }

    Counter& failed(Labels labels, const error_code& why) {
        labels.emplace("code", error_label(why));
        return reply_errors_.Add(labels);
    }

    prometheus::Registry registry_;
    std::set<std::string, std::less<>> servers_;  // labels
    std::set<std::string, std::less<>> models_;
    std::map<Labels, reply_series> series_;

    Gauge& started_at_ = gauges("tandem_start_time_seconds", "Unix time of the start.").Add({});

    // HTTP and WebSockets.
    Family<Counter>& requests_ = counters("tandem_http_requests_total", "Completed requests.");
    Family<Histogram>& request_duration_ = histograms(
        "tandem_http_request_duration_seconds", "Time from a request to the end of its answer.");
    Gauge& connections_ =
        gauges("tandem_http_connections", "Open connections, including WebSockets.").Add({});
    Gauge& voice_sockets_ = gauges("tandem_voice_sockets", "Open WebSockets.").Add({});
    Gauge& voice_sessions_ =
        gauges("tandem_voice_sessions", "Voice sessions, including those without a socket.")
            .Add({});

    // Replies.
    Family<Counter>& replies_ = counters("tandem_replies_total", "Ended replies.");
    Family<Counter>& reply_errors_ =
        counters("tandem_reply_errors_total", "Failed replies, by error.");
    Family<Counter>& tokens_ = counters("tandem_tokens_total", "Tokens of prompts and replies.");
    Family<Counter>& tokens_drafted_ =
        counters("tandem_tokens_drafted_total", "Generated tokens of drafts that were used.");
    Family<Counter>& tokens_reasoning_ =
        counters("tandem_tokens_reasoning_total", "Generated tokens of reasoning.");
    Family<Counter>& reasoning_cuts_ =
        counters("tandem_reasoning_cuts_total", "Replies whose reasoning was closed.");
    Family<Histogram>& reasoning_time_ = histograms(
        "tandem_reply_reasoning_seconds", "Time that a reply with reasoning spent on it.");
    Family<Counter>& tokens_heard_ =
        counters("tandem_tokens_heard_total", "Generated tokens in chunks that were continued.");
    Family<Counter>& tokens_wasted_ =
        counters("tandem_tokens_wasted_total", "Generated tokens that were not delivered.");
    Family<Counter>& server_requests_ =
        counters("tandem_server_requests_total", "Completion requests that were sent.");
    Family<Counter>& cuts_ = counters("tandem_cuts_total", "Requests that were cut.");
    Family<Counter>& warmings_ =
        counters("tandem_warmings_total", "Requests that prefilled a slot.");
    Family<Counter>& resumptions_ =
        counters("tandem_resumptions_total", "Continuations of replies after a failure.");
    Family<Counter>& guard_waits_ =
        counters("tandem_guard_waits_total", "Requests that waited for a slot's reuse guard.");
    Family<Counter>& cache_breaks_ = counters(
        "tandem_cache_breaks_total", "Prompts that differ from the slot's text, by cause.");
    Family<Histogram>& first_token_ = histograms(
        "tandem_reply_first_token_seconds", "Time from the start of a reply to its first token.");
    Family<Histogram>& first_chunk_ = histograms(
        "tandem_reply_first_chunk_seconds", "Time from the start of a reply to its first chunk.");
    Family<Histogram>& chunk_gap_ =
        histograms("tandem_chunk_gap_seconds", "Time from a continue to the next chunk.");
    Family<Histogram>& slot_wait_ =
        histograms("tandem_reply_slot_wait_seconds", "Time that a reply waited for slots.");
    Family<Histogram>& guard_wait_ =
        histograms("tandem_reply_guard_wait_seconds", "Time that a reply waited for reuse guards.");
    Family<Histogram>& cancel_to_idle_ = histograms(
        "tandem_cancel_to_idle_seconds", "Time from a cut until the slot was seen idle.");
    Family<Histogram>& reply_duration_ =
        histograms("tandem_reply_duration_seconds", "Time from the start of a reply to its end.");
    Family<Histogram>& cache_ratio_ = histograms(
        "tandem_reply_cache_ratio", "Share of prompt tokens that were in the slot's cache.");

    // Voice.
    Family<Histogram>& voice_turn_ =
        histograms("tandem_voice_turn_first_chunk_seconds",
                   "Time from the start of a voice turn to its first chunk.");
    Family<Histogram>& voice_to_voice_ = histograms(
        "tandem_voice_to_voice_seconds", "Time from the user's last word to the first chunk.");
    Family<Histogram>& voice_part_ =
        histograms("tandem_voice_to_voice_part_seconds",
                   "Parts of the time from the user's last word to the first chunk.");

    Family<Gauge>& speech_load_ =
        gauges("tandem_speech_load",
               "Tokens that the voices need, of those that the servers can generate at most.");
    Family<Counter>& sessions_refused_ =
        counters("tandem_sessions_refused_total",
                 "New sessions that were refused because the servers are overloaded.");

    Counter& traces_dropped_ =
        counters("tandem_traces_dropped_total", "Turns whose trace could not be sent.").Add({});

    server_metrics server_values_{registry_};
};

gateway_metrics::gateway_metrics(const std::vector<measured_server>& served,
                                 std::int64_t started_at)
    : all_(std::make_unique<registry>(served, started_at)) {}

gateway_metrics::~gateway_metrics() = default;

void gateway_metrics::record_request(std::string_view route, int status, duration took) {
    all_->request_ended(route, status, took);
}

void gateway_metrics::record_chunk(std::string_view model, const chunk& c) {
    all_->chunk_came(model, c);
}

void gateway_metrics::record_reply(std::string_view model, const reply_result& result,
                                   bool by_chunk) {
    all_->reply_ended(model, result, by_chunk);
}

void gateway_metrics::record_voice_latency(std::string_view model, duration since_asked,
                                           const std::optional<voice_timing>& timing) {
    all_->record_voice_latency(model, since_asked, timing);
}

void gateway_metrics::add_servers(const std::vector<measured_server>& served) {
    all_->add_servers(served);
}

void gateway_metrics::set_load(const gateway_load& load) {
    all_->set_load(load);
}

void gateway_metrics::set_servers(const std::vector<server_status>& servers) {
    all_->set_servers(servers);
}

void gateway_metrics::set_speech_load(std::string_view model, double load) {
    all_->set_speech_load(model, load);
}

void gateway_metrics::count_dropped_traces(std::size_t turns) {
    all_->count_dropped_traces(turns);
}

void gateway_metrics::count_refused_session(std::string_view model) {
    all_->count_refused_session(model);
}

std::string gateway_metrics::text(const process_stats& process,
                                  const std::optional<cluster::cluster_status>& cluster) const {
    auto families = all_->collect();
    families.push_back(make_build_info_metric());
    std::ranges::move(make_process_metrics(process), std::back_inserter(families));
    if (cluster) std::ranges::move(make_cluster_metrics(*cluster), std::back_inserter(families));
    return prometheus::TextSerializer().Serialize(families);
}

}  // namespace tandem::gateway

#include "gateway/sessions/gateway_options.hpp"

#include "gateway/access/cross_origin.hpp"
#include "gateway/access/model_name.hpp"
#include "gateway/access/network_address.hpp"
#include "gateway/telemetry/audit_line.hpp"
#include "transport/server_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace tandem::gateway {
namespace {

std::vector<std::string> servers_of(const std::vector<model_servers>& models) {
    std::vector<std::string> all;
    for (const auto& m : models) all.insert(all.end(), m.servers.begin(), m.servers.end());
    return all;
}

void check_models(const std::vector<model_servers>& models, std::vector<config_fault>& faults) {
    for (auto m = models.begin(); m != models.end(); ++m) {
        if (!is_model_name(m->name))
            faults.push_back({"models", fmt::format("has the name '{}'; it must be 1 to {} bytes "
                                                    "of UTF-8",
                                                    m->name, max_model_name_bytes)});
        if (m->servers.empty())
            faults.push_back({"models", fmt::format("has no server for {}", m->name)});
        if (std::find_if(models.begin(), m,
                         [&](const model_servers& other) { return other.name == m->name; }) != m)
            faults.push_back({"models", fmt::format("has {} twice", m->name)});
    }
}

}  // namespace

std::vector<std::string> list_model_names(const std::vector<model_servers>& models) {
    std::vector<std::string> names;
    names.reserve(models.size());
    for (const auto& m : models) names.push_back(m.name);
    return names;
}

std::vector<model_servers> list_models(const gateway_options& o) {
    if (!o.models.empty()) return o.models;
    const auto& s = o.service;
    return {{.name = o.model,
             .servers = s.servers.empty() ? std::vector{s.client.server.url} : s.servers}};
}

// Memory may be exhausted, so this does not format text.
void log_current_exception(const gateway_options& o, std::string_view what) {
    const auto& log = o.instruments.log;
    if (!log.enabled(log_level::error)) return;
    log.write(log_level::error, what);
    try {
        throw;
    } catch (const std::exception& e) {
        log.write(log_level::error, e.what());
    } catch (...) {
        log.write(log_level::error, "it is not a std::exception");
    }
}

void log_and_audit(const gateway_options& o, const audit_record& record, log_level level) {
    const auto& log = o.instruments.log;
    if (log.enabled(level)) log.write(level, format_log_line(record));
    if (o.audit) o.audit(format_audit_line(record));
}

namespace {

void check_origins(const gateway_options& o, std::vector<config_fault>& faults) {
    for (const auto& origin : o.allowed_origins) {
        const auto why = find_origin_fault(origin);
        if (why) faults.push_back({"allowed_origins", fmt::format("'{}' {}", origin, *why)});
        if (origin == "*" && o.keys.is_empty())
            faults.push_back(
                {"allowed_origins",
                 "'*' lets any web page use a gateway without keys; name the origins"});
    }
}

void check_traces(const trace_options& o, std::vector<config_fault>& faults) {
    if (o.endpoint.empty()) return;
    if (auto fault = transport::check_server_url(o.endpoint))
        faults.push_back({"otlp_endpoint", std::move(*fault)});
    else if (o.endpoint.ends_with("/v1/traces") || o.endpoint.ends_with("/v1/traces/"))
        faults.push_back(
            {"otlp_endpoint", "must be the collector's base URL; remove /v1/traces at its end"});
}

}  // namespace

std::vector<config_fault> check(const gateway_options& o) {
    auto settings = o.service;
    if (!o.models.empty()) settings.servers = servers_of(o.models);
    auto faults = check(settings);
    check_models(o.models, faults);
    for (auto& f : check_adapters(o.adapters, list_model_names(list_models(o))))
        faults.push_back(std::move(f));
    for (auto& f : check(o.prompts)) faults.push_back(std::move(f));
    for (auto& f : check(o.voice)) faults.push_back(std::move(f));
    check_origins(o, faults);
    check_traces(o.traces, faults);
    if (!is_bind_allowed(o.address, !o.keys.is_empty()))
        faults.push_back(
            {"address",
             fmt::format(
                 "is {}, which other machines can reach: configure keys, or listen on 127.0.0.1",
                 o.address)});
    if (o.max_connections == 0)
        faults.push_back({"max_connections", "is 0; it must be at least 1"});
    return faults;
}

}  // namespace tandem::gateway

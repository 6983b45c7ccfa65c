#include "doctor/doctor_checks.hpp"
#include "run/replay_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tandem::command {
namespace {

// Every sentence opens a new connection, so the connect time matters.
constexpr double far_away_ms = 100;

// Returns the failure that made the server unusable, or nullptr.
const failure* contact_fault(const doctor_facts& facts) {
    if (facts.health.failed()) return &facts.health.fault;
    return facts.props.failed() ? &facts.props.fault : nullptr;
}

// Returns true if the server sent no response.
bool is_unreachable(const failure& f) {
    constexpr std::array codes{errc::resolve_failed, errc::connect_failed,  errc::connect_timeout,
                               errc::tls_failed,     errc::request_timeout, errc::stream_incomplete,
                               errc::invalid_config};
    return std::ranges::find(codes, f.ec) != codes.end() || f.diag.http_status == 0;
}

finding broken(const char* name, const failure& f) {
    auto words = split_error_message(f);
    return {.name = name,
            .status = finding_status::bad,
            .value = error_name(f.ec),
            .message = std::move(words.what),
            .remedy = words.remedy.empty() ? "check the URL and the server's log"
                                           : std::move(words.remedy)};
}

finding wrong_scheme(const doctor_facts& facts) {
    const char* spoken = facts.https ? "http" : "https";
    return {.name = "reachable",
            .status = finding_status::bad,
            .value = error_name(facts.health.fault.ec),
            .message =
                fmt::format("the port speaks {}, not {}", spoken, facts.https ? "https" : "http"),
            .remedy = fmt::format("use {}{}", spoken, facts.url.substr(facts.url.find(':')))};
}

finding reachable(const doctor_facts& facts) {
    const double ms = facts.round_trip_ms;
    finding f{.name = "reachable", .message = facts.url + " answers"};
    if (ms < 0) return f;
    f.value = ms;
    f.message += " in " + format_elapsed(ms);
    if (ms < far_away_ms) return f;
    f.status = finding_status::warning;
    f.message += "; each sentence waits this long";
    f.remedy = "run tandem closer to the server";
    return f;
}

finding another_server(const failure& f) {
    auto words = split_error_message(f);
    const bool is_router = words.what.find("router") != words.what.npos;
    return {.name = "server",
            .status = finding_status::bad,
            .value = error_name(f.ec),
            .message = is_router ? words.what : "not a llama-server: " + words.what,
            .remedy = words.remedy.empty() ? "check the URL" : words.remedy};
}

finding key_accepted(const doctor_facts& facts) {
    if (facts.requires_key.value_or(false))
        return {.name = "api_key", .value = "accepted", .message = "accepted"};
    if (facts.settings.has_key && !facts.requires_key)
        return {.name = "api_key",
                .value = "unknown",
                .message =
                    "not refused, but perhaps not required: the server did not answer without it"};
    finding f{.name = "api_key",
              .value = "none",
              .message = facts.settings.has_key ? "not required (the given one is ignored)"
                                                : "not required"};
    if (facts.is_private) return f;
    f.status = finding_status::note;
    f.message += ", and the traffic is not encrypted";
    f.remedy = "if others can reach the server, start it with --api-key-file FILE and use https";
    return f;
}

finding still_loading(const doctor_facts& facts) {
    return {.name = "model",
            .status = finding_status::bad,
            .value = "loading",
            .message = "still loading after " + format_elapsed(facts.loading_ms),
            .remedy = "wait longer (--wait 5m), or check the server's log"};
}

void on_fault(const doctor_facts& facts, const failure& f, std::vector<finding>& all) {
    if (facts.other_scheme_answers) return all.push_back(wrong_scheme(facts));
    if (is_unreachable(f)) return all.push_back(broken("reachable", f));
    all.push_back(reachable(facts));
    if (f.ec == errc::unauthorized) return all.push_back(broken("api_key", f));
    if (f.ec == errc::model_loading) return all.push_back(still_loading(facts));
    if (f.ec == errc::server_error) return all.push_back(broken("server", f));
    all.push_back(another_server(f));
}

finding model(const doctor_facts& facts) {
    const auto& props = facts.props.value;
    const auto name = props.model.substr(props.model.rfind('/') + 1);
    finding f{.name = "model", .value = name, .message = name.empty() ? "loaded" : name};
    if (facts.loading_ms > 0)
        f.message += fmt::format(", loaded after {}", format_elapsed(facts.loading_ms));
    if (!props.is_sleeping) return f;
    f.status = finding_status::warning;
    f.message += ", asleep: the first reply waits until the model is loaded again";
    f.remedy = "start llama-server without --sleep-idle-seconds";
    return f;
}

}  // namespace

void check_connection(const doctor_facts& facts, std::vector<finding>& all) {
    if (!facts.health.done) return;
    if (const auto* fault = contact_fault(facts)) return on_fault(facts, *fault, all);
    if (!facts.props.done) return;
    all.push_back(reachable(facts));
    all.push_back(key_accepted(facts));
    all.push_back(model(facts));
}

}  // namespace tandem::command

#include "gateway/adapters/adapter_answer.hpp"

#include "gateway/json/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

json time_or_null(std::int64_t seconds) {
    return seconds == 0 ? json() : json(seconds);
}

}  // namespace

std::string adapter_list_body(const adapter_set& adapters) {
    auto data = json::array();
    for (const auto& a : adapters.all())
        data.push_back({{"id", a.name},
                        {"object", "adapter"},
                        {"model", a.model},
                        {"server_id", a.id},
                        {"scale", adapters.deployed_scale(a.name)}});
    return dump_json(json{{"object", "list"}, {"data", std::move(data)}});
}

std::string job_accepted_body(const adapter_job& job) {
    return dump_json(json{{"job", job.id}});
}

std::string job_body(const adapter_job& job) {
    auto servers = json::array();
    for (const auto& s : job.servers)
        servers.push_back({{"server", s.server}, {"error", text_or_null(s.fault)}});
    return dump_json(json{{"id", job.id},
                          {"object", "adapter.job"},
                          {"adapter", job.adapter},
                          {"scale", job.scale},
                          {"state", to_string(job.state)},
                          {"error", text_or_null(job.fault)},
                          {"servers", std::move(servers)},
                          {"created", job.created},
                          {"finished", time_or_null(job.finished)}});
}

api_error make_job_not_found_error(std::string_view id) {
    return make_error(
        404, "job_not_found",
        fmt::format("there is no job \"{}\"; the last {} are kept until the gateway stops",
                    quote_text(id), adapter_jobs::max_remembered));
}

}  // namespace tandem::gateway

#include "doctor/doctor_checks.hpp"
#include "run/replay_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tandem::command {
namespace {

constexpr double slow_round_trip_ms = 5;
// Redis 6: older versions lack commands that the scripts use.
constexpr int oldest_version = 6;
constexpr double nearly_full = 0.9;

finding describe_store(const store_facts& store) {
    if (!store.fault.empty())
        return {.name = "store",
                .status = finding_status::bad,
                .message = store.fault,
                .remedy =
                    "check --cluster, TANDEM_CLUSTER_PASSWORD, and that the store runs; until "
                    "then, gateways poll the servers"};
    const auto* const product = store.product.empty() ? "the store" : store.product.c_str();
    finding f{
        .name = "store",
        .value = store.round_trip_ms,
        .message = fmt::format("{} answers in {}", product, format_elapsed(store.round_trip_ms))};
    if (store.round_trip_ms < slow_round_trip_ms) return f;
    f.status = finding_status::warning;
    f.message += "; a turn waits several times as long if its gateway has no idle slot";
    f.remedy = "run the store closer to the gateways";
    return f;
}

void check_version(const store_facts& store, std::vector<finding>& all) {
    if (store.major_version == 0 || store.major_version >= oldest_version) return;
    all.push_back({.name = "store_version",
                   .status = finding_status::bad,
                   .value = store.product,
                   .message = fmt::format("{} is too old", store.product),
                   .remedy = "use Valkey, or Redis 6 or newer"});
}

void check_role(const store_facts& store, std::vector<finding>& all) {
    if (!store.is_replica) return;
    all.push_back({.name = "store_role",
                   .status = finding_status::bad,
                   .value = "replica",
                   .message = "the store is a replica, which gateways cannot write to",
                   .remedy = "use the primary's address, or redis+sentinel://"});
}

void check_memory(const store_facts& store, std::vector<finding>& all) {
    if (store.eviction_policy != "noeviction" && !store.eviction_policy.empty())
        all.push_back({.name = "store_eviction",
                       .status = finding_status::warning,
                       .value = store.eviction_policy,
                       .message = fmt::format("maxmemory-policy is {}: a full store drops records",
                                              store.eviction_policy),
                       .remedy = "set maxmemory-policy noeviction"});
    if (store.max_bytes == 0) return;
    const auto share = static_cast<double>(store.used_bytes) / static_cast<double>(store.max_bytes);
    if (share < nearly_full) return;
    all.push_back({.name = "store_memory",
                   .status = finding_status::warning,
                   .value = share,
                   .message = fmt::format("{:.0f} % of the store's maxmemory is in use; a full "
                                          "store refuses records",
                                          share * 100),
                   .remedy = "raise maxmemory, or use a store for the gateways alone"});
}

finding describe_gateways(const store_facts& store) {
    finding f{.name = "gateways",
              .value = static_cast<std::int64_t>(store.gateways.size()),
              .message = fmt::format("{} {} up: {}", store.gateways.size(),
                                     store.gateways.size() == 1 ? "gateway is" : "gateways are",
                                     fmt::join(store.gateways, ", "))};
    if (!store.gateways.empty()) return f;
    f.status = finding_status::note;
    f.message = "no gateway is up";
    f.remedy = "start gateways with the same --cluster and --cluster-name";
    return f;
}

void check_server_name(const std::string& url, const store_facts& store,
                       std::vector<finding>& all) {
    const bool is_known =
        std::ranges::any_of(store.servers, [&](const auto& name) { return url.ends_with(name); });
    if (is_known || store.servers.empty()) return;
    all.push_back(
        {.name = "shared_server",
         .status = finding_status::warning,
         .message = fmt::format("no gateway uses {}; the gateways use {}", url,
                                fmt::join(store.servers, ", ")),
         .remedy = "give all gateways the same URL of a server: slots are shared by URL"});
}

}  // namespace

void check_cluster(const doctor_facts& facts, std::vector<finding>& all) {
    const auto& store = *facts.store;
    all.push_back(describe_store(store));
    if (!store.fault.empty()) return;
    check_version(store, all);
    check_role(store, all);
    check_memory(store, all);
    all.push_back(describe_gateways(store));
    check_server_name(facts.url, store, all);
}

}  // namespace tandem::command

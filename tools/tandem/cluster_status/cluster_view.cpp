#include "cluster_status/cluster_view.hpp"

#include "base/format_count.hpp"
#include "base/parse_number.hpp"
#include "cluster/shared_load.hpp"
#include "text/json_object.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string_view>

namespace tandem::command {
namespace {

std::string_view take_field(std::string_view& text) {
    const auto end = std::min(text.find(':'), text.size());
    const auto field = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return field;
}

/// Calls `take(name, value)` for each pair of a list.
template <class Take>
void for_each_pair(const cluster::store_answer& list, Take take) {
    for (std::size_t i = 0; i + 1 < list.items.size(); i += 2)
        take(list.items[i].text, list.items[i + 1].text);
}

std::optional<cluster_view::slot> read_slot(int number, std::string_view record, std::int64_t now) {
    const auto loan = parse_number<std::uint64_t>(take_field(record));
    const auto used = parse_number<std::int64_t>(take_field(record));
    const auto doubtful = take_field(record);
    if (!loan || !used) return std::nullopt;
    cluster_view::slot s{.number = number, .gateway = std::string(record), .loan = *loan};
    if (*used > 0) s.unused_for = now - *used;
    s.is_doubtful = doubtful == "1";
    return s;
}

std::string in_seconds(std::int64_t ms) {
    return fmt::format("{:.1f} s", static_cast<double>(ms) / 1000);
}

std::string describe(const cluster_view::slot& s) {
    return fmt::format("  slot {:<4} {}{}\n", s.number, s.gateway.empty() ? "free" : s.gateway,
                       s.is_doubtful ? ", being watched" : "");
}

std::string describe(const cluster_view::wish& w) {
    return fmt::format("  waiting   {}, {}, {} {}\n", w.gateway, w.kind,
                       w.overdue > 0 ? "overdue for" : "due in", in_seconds(std::abs(w.overdue)));
}

std::string describe(const cluster_view::session& s) {
    // While a session moves from one gateway to another, it belongs to neither.
    const auto holder = s.gateway.empty() ? "no gateway" : "gateway " + s.gateway;
    return fmt::format("session {}: {}, {:.1f} KiB, written {} ago\n", s.short_id, holder,
                       static_cast<double>(s.bytes) / 1024, in_seconds(s.written));
}

std::int64_t count_sessions(const cluster_view& v, const cluster_view::gateway& g) {
    return std::ranges::count(v.sessions, g.id, &cluster_view::session::gateway);
}

std::string describe_gateways(const cluster_view& v) {
    std::string text;
    for (const auto& g : v.gateways) {
        text += fmt::format("gateway {}: {}, {}\n", g.id,
                            g.is_up() ? "up" : "missing for " + in_seconds(g.missing_for),
                            format_count(count_sessions(v, g), "voice session"));
    }
    return text.empty() ? "no gateway\n" : text;
}

std::string describe_servers(const cluster_view& v, cluster_view_part part) {
    std::string text;
    for (const auto& s : v.servers) {
        text += fmt::format("server {}{}\n", s.name, s.is_drained ? ", drained" : "");
        if (part != cluster_view_part::queue)
            for (const auto& slot : s.slots) text += describe(slot);
        if (part != cluster_view_part::slots)
            for (const auto& wish : s.wishes) text += describe(wish);
    }
    return text;
}

std::string describe_sessions(const cluster_view& v) {
    std::string text;
    for (const auto& s : v.sessions) text += describe(s);
    return text.empty() ? "no voice session\n" : text;
}

std::string to_json(const cluster_view::slot& s) {
    json_object j;
    j.field("slot", s.number).field("gateway", s.gateway).field("loan", s.loan);
    if (s.unused_for) j.field("used_ms_ago", *s.unused_for);
    return j.field("doubtful", s.is_doubtful).finish();
}

std::string to_json(const cluster_view::wish& w) {
    return json_object{}
        .field("gateway", w.gateway)
        .field("kind", w.kind)
        .field("overdue_ms", w.overdue)
        .finish();
}

std::string to_json(const cluster_view::session& s) {
    return json_object{}
        .field("id", s.short_id)
        .field("gateway", s.gateway)
        .field("bytes", s.bytes)
        .field("written_ms_ago", s.written)
        .finish();
}

std::string to_json(const cluster_view::gateway& g, std::int64_t sessions) {
    return json_object{}
        .field("id", g.id)
        .field("missing_ms", g.missing_for)
        .field("sessions", sessions)
        .raw("servers", json_list(g.servers, json_string))
        .finish();
}

constexpr auto any_to_json = [](const auto& item) { return to_json(item); };

std::string to_json(const cluster_view::server& s, cluster_view_part part) {
    json_object j;
    j.field("name", s.name).field("drained", s.is_drained);
    if (part != cluster_view_part::queue) j.raw("slots", json_list(s.slots, any_to_json));
    if (part != cluster_view_part::slots) j.raw("waiting", json_list(s.wishes, any_to_json));
    return j.finish();
}

}  // namespace

std::vector<cluster_view::gateway> read_gateways(const cluster::store_answer& members,
                                                 const cluster::store_answer& loads,
                                                 std::int64_t now) {
    std::map<std::string, std::string> load_of;
    for_each_pair(loads,
                  [&](const std::string& id, const std::string& load) { load_of[id] = load; });
    std::vector<cluster_view::gateway> all;
    for_each_pair(members, [&](const std::string& id, const std::string& end) {
        if (const auto at = parse_number<double>(end))
            all.push_back({id, std::max<std::int64_t>(now - static_cast<std::int64_t>(*at), 0),
                           cluster::find_served_servers(cluster::parse_load(load_of[id]))});
    });
    std::ranges::sort(all, {}, &cluster_view::gateway::id);
    return all;
}

std::vector<std::string> list_servers(const std::vector<cluster_view::gateway>& gateways) {
    std::set<std::string> names;
    for (const auto& g : gateways)
        if (g.is_up()) names.insert(g.servers.begin(), g.servers.end());
    return {names.begin(), names.end()};
}

std::vector<std::string> list_gateways_of(const std::string& server,
                                          const std::vector<cluster_view::gateway>& gateways) {
    std::vector<std::string> ids;
    for (const auto& g : gateways)
        if (g.is_up() && std::ranges::count(g.servers, server) > 0) ids.push_back(g.id);
    return ids;
}

std::vector<cluster_view::slot> read_slots(const cluster::store_answer& slots, std::int64_t now) {
    std::vector<cluster_view::slot> all;
    for_each_pair(slots, [&](const std::string& name, const std::string& record) {
        const auto number = parse_number<int>(name);
        if (auto s = number ? read_slot(*number, record, now) : std::nullopt)
            all.push_back(std::move(*s));
    });
    std::ranges::sort(all, {}, &cluster_view::slot::number);
    return all;
}

std::vector<cluster_view::wish> read_wishes(const cluster::store_answer& wishes,
                                            const std::vector<cluster_view::gateway>& gateways,
                                            std::int64_t now) {
    std::vector<cluster_view::wish> all;
    for_each_pair(wishes, [&](const std::string& gateway, std::string_view record) {
        const auto known = std::ranges::find(gateways, gateway, &cluster_view::gateway::id);
        const bool is_up = known != gateways.end() && known->is_up();
        const auto due = parse_number<std::int64_t>(take_field(record));
        if (due && is_up) all.push_back({gateway, std::string(record), now - *due});
    });
    std::ranges::sort(all, std::greater{}, &cluster_view::wish::overdue);
    return all;
}

std::optional<cluster_view::session> read_session(const std::string& id,
                                                  const cluster::store_answer& fields,
                                                  const cluster::store_answer& bytes,
                                                  std::int64_t now) {
    constexpr std::size_t shown = 8;
    if (!fields.is_list_of(2)) return std::nullopt;
    const auto written = parse_number<std::int64_t>(fields.items[1].text);
    if (!written) return std::nullopt;
    return cluster_view::session{id.substr(0, shown), fields.items[0].text, bytes.number,
                                 now - *written};
}

std::string format_text(const cluster_view& v, cluster_view_part part) {
    if (part == cluster_view_part::sessions) return describe_sessions(v);
    if (part == cluster_view_part::status) return describe_gateways(v) + describe_servers(v, part);
    return v.servers.empty() ? "no server\n" : describe_servers(v, part);
}

std::string format_json(const cluster_view& v, cluster_view_part part) {
    json_object j;
    if (part == cluster_view_part::sessions)
        return j.raw("sessions", json_list(v.sessions, any_to_json)).line();
    if (part == cluster_view_part::status)
        j.raw("gateways", json_list(v.gateways, [&v](const auto& g) {
                  return to_json(g, count_sessions(v, g));
              }));
    j.raw("servers", json_list(v.servers, [part](const auto& s) { return to_json(s, part); }));
    return j.line();
}

std::string format_text(const drain_result& r) {
    const auto* state = r.is_drained ? (r.has_changed ? "drained" : "already drained")
                                     : (r.has_changed ? "no longer drained" : "was not drained");
    return fmt::format("server {}, {}{}\n", r.server, state,
                       r.gateways.empty() ? ", but no gateway that is up serves it"
                                          : fmt::format(" at {}", fmt::join(r.gateways, ", ")));
}

std::string format_json(const drain_result& r) {
    return json_object{}
        .field("name", r.server)
        .field("drained", r.is_drained)
        .field("changed", r.has_changed)
        .raw("gateways", json_list(r.gateways, json_string))
        .line();
}

}  // namespace tandem::command

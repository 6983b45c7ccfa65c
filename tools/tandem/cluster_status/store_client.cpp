#include "cluster_status/store_client.hpp"

#include "cluster/store/store_script.hpp"

#include "tandem/duration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

namespace tandem::command {
namespace {

// Returns the id that /admin/servers shows for this server; the store records drains under this id.
std::string server_id(const std::string& name) {
    return name.substr(name.find("//") + 2);
}

std::string describe_unknown_server(const std::string& name,
                                    const std::vector<std::string>& served) {
    if (served.empty())
        return fmt::format(
            "SERVER is {}, but no gateway reports that it serves a server; start one with this "
            "server",
            name);
    return fmt::format("SERVER is {}, which no gateway serves; the gateways serve {}", name,
                       fmt::join(served, ", "));
}

}  // namespace

store_client::store_client(const cluster::cluster_options& o, std::string client_name)
    : prefix_(fmt::format("tdm:{}:", o.name)),
      link_(loop_.get_executor(),
            {.address = o.store,
             .password = o.password,
             .ca_file = o.ca_file,
             .client_name = std::move(client_name)},
            {log_level::warning,
             [this](log_level, std::string_view line) { fault_ = std::string(line); }}) {
    bool is_connected = false;
    link_.start([&is_connected] { is_connected = true; });
    while (!is_connected && fault_.empty()) loop_.run_one();
}

cluster_view store_client::read_view(cluster_view_part part) {
    cluster_view v;
    const auto now = fetch_time();
    v.gateways = fetch_gateways(now);
    if (part != cluster_view_part::sessions) v.servers = read_servers(v.gateways, now);
    if (part == cluster_view_part::sessions || part == cluster_view_part::status)
        v.sessions = read_sessions(now);
    return v;
}

// Returns the store's time in ms; 0 if the store does not answer.
std::int64_t store_client::fetch_time() {
    const auto time = run_command({"TIME"});
    if (!time.is_list_of(2)) return 0;
    return std::stoll(time.items[0].text) * 1000 + std::stoll(time.items[1].text) / 1000;
}

std::vector<cluster_view::gateway> store_client::fetch_gateways(std::int64_t now) {
    return read_gateways(run_command({"ZRANGE", prefix_ + "members", "0", "-1", "WITHSCORES"}),
                         run_command({"HGETALL", prefix_ + "loads"}), now);
}

std::vector<cluster_view::server> store_client::read_servers(
    const std::vector<cluster_view::gateway>& gateways, std::int64_t now) {
    std::vector<cluster_view::server> servers;
    for (auto& name : list_servers(gateways)) {
        auto slots = read_slots(run_command({"HGETALL", prefix_ + "slots:" + name}), now);
        auto wishes =
            read_wishes(run_command({"HGETALL", prefix_ + "wishes:" + name}), gateways, now);
        const bool is_drained =
            run_command({"HGET", prefix_ + "drains", server_id(name)}).text == "1";
        servers.push_back({std::move(name), std::move(slots), std::move(wishes), is_drained});
    }
    return servers;
}

std::vector<cluster_view::session> store_client::read_sessions(std::int64_t now) {
    const auto ids = find_keys(prefix_ + "session:");
    std::vector<std::vector<std::string>> questions;
    questions.reserve(2 * ids.size());
    for (const auto& id : ids) {
        questions.push_back({"HMGET", prefix_ + "session:" + id, "gateway", "written"});
        questions.push_back({"HSTRLEN", prefix_ + "session:" + id, "record"});
    }
    const auto answers = run_commands(std::move(questions));
    std::vector<cluster_view::session> sessions;
    sessions.reserve(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (auto s = read_session(ids[i], answers[2 * i], answers[2 * i + 1], now))
            sessions.push_back(std::move(*s));
    std::ranges::stable_sort(sessions, {}, &cluster_view::session::gateway);
    return sessions;
}

drain_result store_client::set_server_drained(const std::string& name, bool is_drained) {
    drain_result r{.server = name, .is_drained = is_drained};
    const auto gateways = fetch_gateways(fetch_time());
    r.gateways = list_gateways_of(name, gateways);
    const auto drains = prefix_ + "drains";
    const auto id = server_id(name);
    const auto mark = run_command({"HGET", drains, id}).text;
    if (!fault_.empty()) return r;
    const bool is_known = !r.gateways.empty() || !mark.empty() ||
                          run_command({"EXISTS", prefix_ + "slots:" + name}).number == 1;
    if (!is_known) {
        fault_ = describe_unknown_server(name, list_servers(gateways));
        return r;
    }
    r.has_changed = (mark == "1") != is_drained;
    if (r.has_changed) write_drain(id, is_drained);
    return r;
}

void store_client::write_drain(const std::string& id, bool is_drained) {
    const auto& script = cluster::scripts::set_server_drained().text();
    const auto answer =
        run_command({"EVAL", script, "1", prefix_ + "drains", id, is_drained ? "1" : "0", "0"});
    if (answer.kind == cluster::answer_kind::error) fault_ = answer.text;
}

store_facts store_client::read_facts() {
    auto facts = parse_store_info(run_command({"INFO"}).text);
    facts.round_trip_ms = measure_round_trip();
    const auto view = read_view(cluster_view_part::slots);
    for (const auto& g : view.gateways)
        if (g.is_up()) facts.gateways.push_back(g.id);
    for (const auto& s : view.servers) facts.servers.push_back(s.name);
    facts.fault = fault_;
    return facts;
}

cluster::store_answer store_client::run_command(std::vector<std::string> words) {
    return std::move(run_commands({std::move(words)}).front());
}

std::vector<cluster::store_answer> store_client::run_commands(
    std::vector<std::vector<std::string>> commands) {
    constexpr std::size_t at_once = 100;
    std::vector<cluster::store_answer> answers(commands.size());
    if (!fault_.empty()) return answers;
    std::size_t unanswered = 0;
    for (std::size_t i = 0; i < commands.size(); ++i) {
        while (unanswered >= at_once) loop_.run_one();
        ++unanswered;
        link_.run(std::move(commands[i]), [&, i](const auto& a) {
            if (!a) fault_ = "the store did not answer in time";
            answers[i] = a.value_or(cluster::store_answer{});
            --unanswered;
        });
    }
    while (unanswered > 0) loop_.run_one();
    return answers;
}

std::vector<std::string> store_client::find_keys(const std::string& begin) {
    std::vector<std::string> names;
    std::string cursor = "0";
    do {
        const auto found = run_command({"SCAN", cursor, "MATCH", begin + "*", "COUNT", "1000"});
        if (!found.is_list_of(2)) break;
        cursor = found.items[0].text;
        for (const auto& key : found.items[1].items)
            if (key.text.starts_with(begin)) names.push_back(key.text.substr(begin.size()));
    } while (cursor != "0");
    // Removes duplicates, because SCAN may return a key more than once.
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

double store_client::measure_round_trip() {
    std::vector<double> times(9);
    for (auto& t : times) {
        const auto begin = std::chrono::steady_clock::now();
        run_command({"PING"});
        t = to_ms(std::chrono::steady_clock::now() - begin);
    }
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    return *middle;
}

}  // namespace tandem::command

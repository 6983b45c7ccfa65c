#include "cluster_status/store_reader.hpp"

#include "tandem/duration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

namespace tandem::command {

store_reader::store_reader(const cluster::cluster_options& o, std::string client_name)
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

cluster_view store_reader::read_view() {
    cluster_view v;
    const auto time = ask({"TIME"});
    if (!time.is_list_of(2)) return v;
    const auto now = std::stoll(time.items[0].text) * 1000 + std::stoll(time.items[1].text) / 1000;
    v.gateways = read_gateways(ask({"ZRANGE", prefix_ + "members", "0", "-1", "WITHSCORES"}), now);
    count_sessions(v.gateways);
    for (auto& name : find_keys(prefix_ + "slots:")) {
        auto slots = read_slots(ask({"HGETALL", prefix_ + "slots:" + name}), now);
        auto wishes = read_wishes(ask({"HGETALL", prefix_ + "wishes:" + name}), v.gateways, now);
        const auto id = name.substr(name.find("//") + 2);  // as in /admin/servers
        const bool is_drained = ask({"HGET", prefix_ + "drains", id}).text == "1";
        v.servers.push_back({std::move(name), std::move(slots), std::move(wishes), is_drained});
    }
    return v;
}

store_facts store_reader::read_facts() {
    auto facts = read_info(ask({"INFO"}).text);
    facts.round_trip_ms = measure_round_trip();
    const auto view = read_view();
    for (const auto& g : view.gateways)
        if (g.missing_for <= 0) facts.gateways.push_back(g.id);
    for (const auto& s : view.servers) facts.servers.push_back(s.name);
    facts.fault = fault_;
    return facts;
}

cluster::store_answer store_reader::ask(std::vector<std::string> words) {
    std::optional<cluster::store_answer> answer;
    if (!fault_.empty()) return {};
    link_.run(std::move(words), [&](const auto& a) {
        if (!a) fault_ = "the store did not answer in time";
        answer = a.value_or(cluster::store_answer{});
    });
    while (!answer) loop_.run_one();
    return std::move(*answer);
}

std::vector<std::string> store_reader::find_keys(const std::string& begin) {
    std::vector<std::string> names;
    std::string cursor = "0";
    do {
        const auto found = ask({"SCAN", cursor, "MATCH", begin + "*", "COUNT", "1000"});
        if (!found.is_list_of(2)) break;
        cursor = found.items[0].text;
        for (const auto& key : found.items[1].items)
            if (key.text.starts_with(begin)) names.push_back(key.text.substr(begin.size()));
    } while (cursor != "0");
    // A scan may return a key twice.
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

void store_reader::count_sessions(std::vector<cluster_view::gateway>& gateways) {
    const auto begin = prefix_ + "session:";
    for (const auto& id : find_keys(begin)) {
        const auto owner = ask({"HGET", begin + id, "gateway"}).text;
        const auto known = std::ranges::find(gateways, owner, &cluster_view::gateway::id);
        if (known != gateways.end()) ++known->sessions;
    }
}

double store_reader::measure_round_trip() {
    std::vector<double> times(9);
    for (auto& t : times) {
        const auto begin = std::chrono::steady_clock::now();
        ask({"PING"});
        t = to_ms(std::chrono::steady_clock::now() - begin);
    }
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    return *middle;
}

}  // namespace tandem::command

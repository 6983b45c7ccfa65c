#include "cluster_status/cluster_command.hpp"

#include "cluster/store/store_link.hpp"
#include "cluster_status/cluster_view.hpp"
#include "os/exit_status.hpp"
#include "terminal/terminal.hpp"

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tandem::command {
namespace {

/// Reads the records of a cluster; waits for each answer.
class record_reader {
 public:
    explicit record_reader(const cluster::cluster_options& o)
        : prefix_(fmt::format("tdm:{}:", o.name)),
          link_(loop_.get_executor(),
                {.address = o.store, .password = o.password, .client_name = "tandem-cluster"},
                {log_level::warning,
                 [this](log_level, std::string_view line) { fault_ = std::string(line); }}) {
        bool is_connected = false;
        link_.start([&is_connected] { is_connected = true; });
        while (!is_connected && fault_.empty()) loop_.run_one();
    }

    /// Why there is no view; empty if there is one.
    const std::string& fault() const noexcept { return fault_; }

    cluster_view read() {
        cluster_view v;
        const auto time = ask({"TIME"});
        if (!time.is_list_of(2)) return v;
        const auto now =
            std::stoll(time.items[0].text) * 1000 + std::stoll(time.items[1].text) / 1000;
        v.gateways =
            read_gateways(ask({"ZRANGE", prefix_ + "members", "0", "-1", "WITHSCORES"}), now);
        for (auto& name : find_servers()) {
            auto slots = read_slots(ask({"HGETALL", prefix_ + "slots:" + name}), now);
            auto wishes = read_wishes(ask({"HGETALL", prefix_ + "wishes:" + name}), now);
            v.servers.push_back({std::move(name), std::move(slots), std::move(wishes)});
        }
        return v;
    }

 private:
    cluster::store_answer ask(std::vector<std::string> words) {
        std::optional<cluster::store_answer> answer;
        if (!fault_.empty()) return {};
        link_.run(std::move(words), [&](const auto& a) {
            if (!a) fault_ = "the store did not answer in time";
            answer = a.value_or(cluster::store_answer{});
        });
        while (!answer) loop_.run_one();
        return std::move(*answer);
    }

    std::vector<std::string> find_servers() {
        const auto begin = prefix_ + "slots:";
        std::vector<std::string> names;
        std::string cursor = "0";
        do {
            const auto found = ask({"SCAN", cursor, "MATCH", begin + "*", "COUNT", "1000"});
            if (!found.is_list_of(2)) break;
            cursor = found.items[0].text;
            for (const auto& key : found.items[1].items)
                if (key.text.starts_with(begin)) names.push_back(key.text.substr(begin.size()));
        } while (cursor != "0");
        std::ranges::sort(names);
        return names;
    }

    boost::asio::io_context loop_;
    std::string prefix_;
    std::string fault_;
    cluster::store_link link_;
};

}  // namespace

int run_cluster(const cluster_command_options& options) {
    terminal t;
    record_reader reader(options.cluster);
    const auto view = reader.read();
    if (!reader.fault().empty()) {
        t.print_error("tandem cluster: " + reader.fault());
        return not_all_good;
    }
    t.print(options.json ? format_json(view) : format_text(view));
    return t.failure().empty() ? all_good : not_all_good;
}

}  // namespace tandem::command

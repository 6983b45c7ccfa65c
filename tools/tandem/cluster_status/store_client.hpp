#pragma once

#include "cluster/cluster_options.hpp"
#include "cluster/store/store_link.hpp"
#include "cluster_status/cluster_view.hpp"
#include "cluster_status/store_facts.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::command {

/// Reads and changes the records of a cluster. Each function waits for the store's answers.
class store_client {
 public:
    /// Connects. `client_name`: the connection's name in the store's `CLIENT LIST`.
    store_client(const cluster::cluster_options& o, std::string client_name);

    /// Why a function failed; empty if none has.
    const std::string& fault() const noexcept { return fault_; }
    cluster_view read_view(cluster_view_part part);
    store_facts read_facts();
    /// Drains a server, or ends the drain. Each gateway applies the change when it next renews its
    /// lease. Fails if no gateway serves or has used a server with this name. Names have the same
    /// form as in the view.
    drain_result set_server_drained(const std::string& name, bool is_drained);

 private:
    cluster::store_answer run_command(std::vector<std::string> words);
    /// Sends commands without waiting for the previous answer, then waits for all answers.
    std::vector<cluster::store_answer> run_commands(std::vector<std::vector<std::string>> commands);
    /// The names of the keys that begin with `begin`, without `begin`, sorted.
    std::vector<std::string> find_keys(const std::string& begin);
    std::int64_t fetch_time();
    std::vector<cluster_view::gateway> fetch_gateways(std::int64_t now);
    std::vector<cluster_view::server> read_servers(
        const std::vector<cluster_view::gateway>& gateways, std::int64_t now);
    std::vector<cluster_view::session> read_sessions(std::int64_t now);
    void write_drain(const std::string& id, bool is_drained);
    double measure_round_trip();

    boost::asio::io_context loop_;
    std::string prefix_;
    std::string fault_;
    cluster::store_link link_;
};

}  // namespace tandem::command

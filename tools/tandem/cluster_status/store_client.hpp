#pragma once

#include "cluster/cluster_options.hpp"
#include "cluster/store/store_link.hpp"
#include "cluster_status/cluster_view.hpp"
#include "cluster_status/store_facts.hpp"

#include <boost/asio/io_context.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// Reads the records of a cluster. Each function waits for the store's answers.
class store_reader {
 public:
    /// Connects. `client_name`: the connection's name in the store's `CLIENT LIST`.
    store_reader(const cluster::cluster_options& o, std::string client_name);

    /// Why the store could not be read; empty if it could.
    const std::string& fault() const noexcept { return fault_; }
    cluster_view read_view();
    store_facts read_facts();

 private:
    cluster::store_answer ask(std::vector<std::string> words);
    /// What follows `begin` in the names of keys, in order.
    std::vector<std::string> find_keys(const std::string& begin);
    void count_sessions(std::vector<cluster_view::gateway>& gateways);
    double measure_round_trip();

    boost::asio::io_context loop_;
    std::string prefix_;
    std::string fault_;
    cluster::store_link link_;
};

}  // namespace tandem::command

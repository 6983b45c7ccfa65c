#pragma once

#include "cluster/store/store_answer.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tandem::command {

/// The parts of a cluster to show. The status contains slots, queue, and the numbers of sessions.
enum class cluster_view_part { status, slots, queue, sessions };

/// The records of a cluster in its store. Times are in ms before now; negative times are after now.
struct cluster_view {
    struct gateway {
        std::string id;
        /// Time since the gateway's lease ended; 0 while the lease lasts.
        std::int64_t missing_for = 0;
        /// The names of the servers that the gateway serves.
        std::vector<std::string> servers{};

        bool is_up() const noexcept { return missing_for == 0; }
    };
    struct slot {
        int number = 0;
        /// Empty = no gateway.
        std::string gateway{};
        std::uint64_t loan = 0;
        std::optional<std::int64_t> unused_for{};
        bool is_doubtful = false;
    };
    struct wish {
        std::string gateway;
        std::string kind;
        std::int64_t overdue = 0;
    };
    struct server {
        std::string name;
        std::vector<slot> slots{};
        std::vector<wish> wishes{};
        bool is_drained = false;
    };
    struct session {
        /// Only the start of the id, because the whole id gives access to the session.
        std::string short_id;
        std::string gateway;
        std::int64_t bytes = 0;
        std::int64_t written = 0;
    };

    std::vector<gateway> gateways{};
    std::vector<server> servers{};
    std::vector<session> sessions{};
};

/// The result of `tandem cluster drain` or `undrain`.
struct drain_result {
    std::string server;
    bool is_drained = false;
    bool has_changed = false;
    /// The ids of the gateways that will follow the change.
    std::vector<std::string> gateways{};
};

// The following functions read the records that the scripts in src/cluster/scripts write, and
// ignore unknown fields. `now`: the store's time in ms.
/// `loads`: by gateway.
std::vector<cluster_view::gateway> read_gateways(const cluster::store_answer& members,
                                                 const cluster::store_answer& loads,
                                                 std::int64_t now);
/// Returns the names of the servers that the running gateways serve.
std::vector<std::string> list_servers(const std::vector<cluster_view::gateway>& gateways);
/// Returns the ids of the running gateways that serve the server.
std::vector<std::string> list_gateways_of(const std::string& server,
                                          const std::vector<cluster_view::gateway>& gateways);
std::vector<cluster_view::slot> read_slots(const cluster::store_answer& slots, std::int64_t now);
/// Omits the wishes of gateways whose lease has ended: the store keeps such wishes until another
/// gateway offers a slot.
std::vector<cluster_view::wish> read_wishes(const cluster::store_answer& wishes,
                                            const std::vector<cluster_view::gateway>& gateways,
                                            std::int64_t now);
/// `fields`: the gateway of the session, and the time at which the record was written. Returns
/// nullopt if the session has ended.
std::optional<cluster_view::session> read_session(const std::string& id,
                                                  const cluster::store_answer& fields,
                                                  const cluster::store_answer& bytes,
                                                  std::int64_t now);

std::string format_text(const cluster_view& v, cluster_view_part part);
std::string format_json(const cluster_view& v, cluster_view_part part);
std::string format_text(const drain_result& r);
std::string format_json(const drain_result& r);

}  // namespace tandem::command

#pragma once

#include "cluster/shared_load.hpp"
#include "cluster/slot_share_actions.hpp"
#include "cluster/store/store_answer.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

// Arguments and answers of the scripts in `scripts/`; each script describes its own.
namespace tandem::cluster {

/// The names of this gateway and of the server's channel.
struct lending_names {
    std::string gateway;
    std::string channel;
};

std::vector<std::string> make_claim_arguments(const lending_names& names, time_point now, int slots,
                                              const share_action::claim& c);
std::vector<std::string> make_offer_arguments(const lending_names& names, const reported_loan& l,
                                              bool is_leaving);

/// Returns nullopt if the answer is an error or not a list of loans.
std::optional<std::vector<loan>> read_loans(const std::optional<store_answer>& answer);

struct lease_renewal {
    /// Whether the lease was still valid.
    bool was_known = false;
    /// Whether another process with this gateway's id holds the lease.
    bool is_duplicate = false;
    /// Whether a gateway has lost its lease within the last minute, or its connection for messages.
    /// It may still run, and use slots that the store has lent to others.
    bool is_one_missing = false;
    /// Number of gateways with a lease.
    std::int64_t members = 1;
    std::set<std::string> drained{};
    /// Sums of the other gateways' loads.
    shared_load elsewhere{};
};
std::optional<lease_renewal> read_lease_renewal(const std::optional<store_answer>& answer);

}  // namespace tandem::cluster

#pragma once

#include "cluster/slot_share_actions.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tandem::cluster {

/// The answer to an offer.
enum class offer_result {
    taken,       ///< this gateway no longer has the slot
    not_wanted,  ///< it stays with this gateway
    unknown,     ///< the store did not answer
};

/// The store's records of loans. Each handler is called exactly once, on the caller's loop, and
/// never from within the call.
class lending_store {
 public:
    /// Receives all loans of this gateway; nullopt if the store did not answer.
    using claim_handler = std::function<void(std::optional<std::vector<loan>>)>;
    using offer_handler = std::function<void(offer_result)>;

    virtual void claim(const std::string& server, int slots, const share_action::claim& c,
                       claim_handler done) = 0;
    /// `is_leaving`: the slot is returned even if nobody waits for it.
    virtual void offer(const std::string& server, const reported_loan& l, bool is_leaving,
                       offer_handler done) = 0;

 protected:
    ~lending_store() = default;
};

}  // namespace tandem::cluster

#pragma once

#include "base/time.hpp"
#include "slots/slot_scheduler.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tandem::cluster {

/// Number of a loan. The store gives each new loan of a server's slots a higher number.
using loan_number = std::uint64_t;
/// Bound of slot numbers: messages and answers that exceed it are rejected.
inline constexpr int max_slot = 1023;

/// A loan as a gateway reports it to the store.
struct reported_loan {
    int slot = 0;
    loan_number number = 0;
    /// How long ago the slot's last request ended; nullopt if the gateway has not used the slot.
    std::optional<duration> unused_for{};

    friend bool operator==(const reported_loan&, const reported_loan&) = default;
};

/// A slot that the store has lent to this gateway.
struct loan {
    int slot = 0;
    loan_number number = 0;
    /// How long ago the slot's last request ended, as far as the store knows.
    std::optional<duration> unused_for{};
    /// Whether another gateway's request may still run on the slot: the previous borrower has
    /// disappeared, or the store has lost its records.
    bool is_doubtful = false;
};

/// The answer to an offer.
enum class offer_result {
    taken,       ///< this gateway no longer has the slot
    not_wanted,  ///< no gateway waits for a slot: this gateway keeps it
    unknown,     ///< the store did not answer
};

namespace share_action {

// To the store.
/// Reports the loans of this gateway and, if a request here lacks a slot, the wish for one more.
struct claim {
    std::vector<reported_loan> held{};
    std::optional<slots::slot_shortage> wish{};
};
/// Offers a slot to the gateway with the most urgent wish.
struct offer {
    reported_loan loan;
};

// To the server.
/// Requests the states of the server's slots.
struct poll {};

// To the scheduler.
struct bring_back {
    int slot;
    std::optional<time_point> last_used;
    bool is_untouched;
};
struct send_away {
    int slot;
};
/// Queues the wish of another gateway for a slot, in place of that gateway's earlier wish.
struct queue_wish {
    std::string gateway;
    slots::slot_shortage wish;
};
struct withdraw_wish {
    std::string gateway;
};

}  // namespace share_action

using any_share_action = std::variant<share_action::claim, share_action::offer, share_action::poll,
                                      share_action::bring_back, share_action::send_away,
                                      share_action::queue_wish, share_action::withdraw_wish>;

}  // namespace tandem::cluster

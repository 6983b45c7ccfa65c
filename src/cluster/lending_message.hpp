#pragma once

#include "cluster/slot_share_actions.hpp"
#include "slots/slot_scheduler.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tandem::cluster {

/// A message that the scripts `claim_slots` and `offer_slot` publish to the gateways of a server.
struct lending_message {
    enum class kind {
        wish,  ///< the gateway waits for a slot
        end,   ///< the gateway no longer waits
        lent,  ///< the gateway received another gateway's slot
    };

    lending_message::kind kind = kind::end;
    std::string gateway{};
    slots::request_kind wished_for = slots::request_kind::turn;
    duration due_in{};
    loan lent{};
};

/// Returns nullopt if the text is not a lending message.
std::optional<lending_message> parse_lending_message(std::string_view text);

std::string_view to_message_word(slots::request_kind kind) noexcept;

}  // namespace tandem::cluster

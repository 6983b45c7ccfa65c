#pragma once

#include "gateway/sessions/gateway_state.hpp"
#include "gateway/sessions/voice_registry.hpp"

#include <memory>
#include <set>

namespace tandem::gateway {

class connection;

/// A gateway: what its requests share, its voice sessions and its connections. On its loop; all
/// that works for it keeps it.
struct gateway_core : gateway_state {
    using gateway_state::gateway_state;

    voice_registry voices{*this};
    /// Those that are open.
    std::set<connection*> connections{};
};

}  // namespace tandem::gateway

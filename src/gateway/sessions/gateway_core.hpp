#pragma once

#include "gateway/sessions/gateway_state.hpp"
#include "gateway/sessions/voice_session_host.hpp"

#include <memory>
#include <set>

namespace tandem::gateway {

class connection;

/// A gateway: the state that its requests share, its voice sessions and its connections. Used on
/// its loop; pending operations keep it alive.
struct gateway_core : gateway_state {
    using gateway_state::gateway_state;

    voice_session_host voices{*this};
    /// The open connections.
    std::set<connection*> connections{};
};

}  // namespace tandem::gateway

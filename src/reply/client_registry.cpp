#include "reply/client_registry.hpp"

#include "reply/client_core.hpp"

namespace tandem::detail {

boost::asio::execution_context::id client_registry::id;

void client_registry::add(client_core& client) {
    const std::lock_guard lock(mutex_);
    clients_.insert(&client);
}

void client_registry::remove(client_core& client) noexcept {
    const std::lock_guard lock(mutex_);
    clients_.erase(&client);
}

// No thread runs the context any more, but what one client lets go of may destroy others.
void client_registry::shutdown() noexcept {
    while (!clients_.empty()) {
        const auto client = (*clients_.begin())->weak_from_this().lock();
        clients_.erase(clients_.begin());
        if (client) client->context_ended();
    }
}

}  // namespace tandem::detail

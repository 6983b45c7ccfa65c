#include "loop/home_registry.hpp"

#include "loop/event_home.hpp"

namespace tandem::detail {

boost::asio::execution_context::id home_registry::id;

void home_registry::add(event_home& home) {
    const std::lock_guard lock(mutex_);
    homes_.insert(&home);
}

void home_registry::remove(event_home& home) noexcept {
    const std::lock_guard lock(mutex_);
    homes_.erase(&home);
}

// No thread runs the context any more, but what one home lets go of may destroy others.
void home_registry::shutdown() noexcept {
    while (!homes_.empty()) {
        const auto home = (*homes_.begin())->weak_from_this().lock();
        homes_.erase(homes_.begin());
        if (home) home->context_ended();
    }
}

}  // namespace tandem::detail

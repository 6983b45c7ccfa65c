#include "loop/context_shutdown_service.hpp"

#include "loop/strand_scope.hpp"

namespace tandem::detail {

boost::asio::execution_context::id context_shutdown_service::id;

void context_shutdown_service::add_scope(strand_scope& home) {
    const std::lock_guard lock(mutex_);
    scopes_.insert(&home);
}

void context_shutdown_service::remove(strand_scope& home) noexcept {
    const std::lock_guard lock(mutex_);
    scopes_.erase(&home);
}

// No thread runs the context any more, but releasing one home may destroy others.
void context_shutdown_service::shutdown() noexcept {
    while (!scopes_.empty()) {
        const auto home = (*scopes_.begin())->weak_from_this().lock();
        scopes_.erase(scopes_.begin());
        if (home) home->on_context_destroyed();
    }
}

}  // namespace tandem::detail

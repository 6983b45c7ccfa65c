#include "loop/context_shutdown_service.hpp"

#include "loop/strand_scope.hpp"

namespace tandem::detail {

boost::asio::execution_context::id context_shutdown_service::id;

void context_shutdown_service::add_scope(strand_scope& scope) {
    const std::lock_guard lock(mutex_);
    scopes_.insert(&scope);
}

void context_shutdown_service::remove(strand_scope& scope) noexcept {
    const std::lock_guard lock(mutex_);
    scopes_.erase(&scope);
}

// Needs no lock, because no thread runs the context any longer. Keeps no iterator, because
// releasing one scope may destroy and remove others.
void context_shutdown_service::shutdown() noexcept {
    while (!scopes_.empty()) {
        const auto scope = (*scopes_.begin())->weak_from_this().lock();
        scopes_.erase(scopes_.begin());
        if (scope) scope->on_context_destroyed();
    }
}

}  // namespace tandem::detail

#pragma once

#include <boost/asio/execution_context.hpp>

#include <mutex>
#include <set>

namespace tandem::detail {

class strand_scope;

/// Notifies the scopes on an execution context when that context is destroyed. The scopes must then
/// release pending handlers, because a handler, for example that of a coroutine, may own the client
/// or reply that stores it, and then neither would ever be destroyed. Thread-safe.
class context_shutdown_service final : public boost::asio::execution_context::service {
 public:
    using key_type = context_shutdown_service;
    static boost::asio::execution_context::id id;

    explicit context_shutdown_service(boost::asio::execution_context& context) : service(context) {}

    void add_scope(strand_scope& scope);
    void remove(strand_scope& scope) noexcept;

 private:
    void shutdown() noexcept override;

    std::mutex mutex_;
    std::set<strand_scope*> scopes_;
};

}  // namespace tandem::detail

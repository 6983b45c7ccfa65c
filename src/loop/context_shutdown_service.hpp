#pragma once

#include <boost/asio/execution_context.hpp>

#include <mutex>
#include <set>

namespace tandem::detail {

class strand_scope;

/// The scopes on an execution context, which are notified when it is destroyed. They must then
/// release pending handlers, because such a handler, for example in a coroutine, may own the client
/// and the reply that store it. Thread-safe.
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

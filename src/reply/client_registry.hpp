#pragma once

#include <boost/asio/execution_context.hpp>

#include <mutex>
#include <set>

namespace tandem::detail {

class client_core;

/// The clients of one execution context, which are told when it is destroyed. A handler that waits
/// may own the client and the reply that keep it, as a coroutine does, so they must let go of it
/// then. Thread-safe.
class client_registry final : public boost::asio::execution_context::service {
 public:
    using key_type = client_registry;
    static boost::asio::execution_context::id id;

    explicit client_registry(boost::asio::execution_context& context) : service(context) {}

    void add(client_core& client);
    void remove(client_core& client) noexcept;

 private:
    void shutdown() noexcept override;

    std::mutex mutex_;
    std::set<client_core*> clients_;
};

}  // namespace tandem::detail

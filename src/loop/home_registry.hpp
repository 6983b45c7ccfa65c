#pragma once

#include <boost/asio/execution_context.hpp>

#include <mutex>
#include <set>

namespace tandem::detail {

class event_home;

/// The homes on one execution context, which learn when it is destroyed. A handler that waits may
/// own the client and the reply that keep it, as a coroutine does, so they must let go of it then.
/// Thread-safe.
class home_registry final : public boost::asio::execution_context::service {
 public:
    using key_type = home_registry;
    static boost::asio::execution_context::id id;

    explicit home_registry(boost::asio::execution_context& context) : service(context) {}

    void add(event_home& home);
    void remove(event_home& home) noexcept;

 private:
    void shutdown() noexcept override;

    std::mutex mutex_;
    std::set<event_home*> homes_;
};

}  // namespace tandem::detail

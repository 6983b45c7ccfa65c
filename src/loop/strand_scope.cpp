#include "loop/strand_scope.hpp"

#include "loop/context_shutdown_service.hpp"

#include <boost/asio/execution/context.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <algorithm>

namespace tandem::detail {

strand_scope::strand_scope(const boost::asio::any_io_executor& executor, logger log)
    : executor_(boost::asio::make_strand(executor)), logger_(std::move(log)) {}

std::uint64_t strand_scope::next_number() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

strand_scope::~strand_scope() {
    if (registry_) registry_->remove(*this);
}

// Asio shuts its services down in reverse order of creation. A strand and a timer are created
// before the registry, so that their services still work while the registry shuts down.
void strand_scope::add_listener(std::weak_ptr<shutdown_listener> listener) {
    const std::lock_guard lock(listeners_mutex_);
    if (!registry_ && executor_) {
        const boost::asio::steady_timer first_timer(executor_);
        auto& context = boost::asio::query(executor_, boost::asio::execution::context);
        registry_ = &boost::asio::use_service<context_shutdown_service>(context);
        registry_->add_scope(*this);
    }
    // Removes expired listeners when the list has doubled, so that the amortized cost of each
    // listener is constant.
    if (listeners_.size() >= next_sweep_size_) {
        std::erase_if(listeners_, [](const auto& l) { return l.expired(); });
        next_sweep_size_ = std::max<std::size_t>(64, 2 * listeners_.size());
    }
    listeners_.push_back(std::move(listener));
}

// Notifies the latest listener first: replies end before their conversations. Servers own the
// transports and come last, even if they were added after requests that they serve.
template <class Tell>
void strand_scope::notify_listeners(const listener_list& listeners, Tell tell) {
    for (const bool owns_transport : {false, true})
        for (auto weak = listeners.rbegin(); weak != listeners.rend(); ++weak)
            if (const auto listener = weak->lock();
                listener && listener->owns_transport() == owns_transport)
                tell(*listener);
}

strand_scope::listener_list strand_scope::copy_listeners() {
    const std::lock_guard lock(listeners_mutex_);
    return listeners_;
}

strand_scope::listener_list strand_scope::take_listeners() noexcept {
    const std::lock_guard lock(listeners_mutex_);
    return std::exchange(listeners_, {});
}

// Keeps the list: a handle may keep a listener alive until after the context is destroyed. Such a
// listener still owns timers and executors, so on_context_destroyed() must notify it, too.
void strand_scope::close() {
    closed_ = true;
    notify_listeners(copy_listeners(), [](shutdown_listener& l) { l.on_owner_destroyed(); });
}

void strand_scope::on_context_destroyed() noexcept {
    closed_ = true;
    registry_ = nullptr;
    notify_listeners(take_listeners(), [](shutdown_listener& l) { l.on_context_destroyed(); });
    // Must be last: handlers destroyed above may use the client.
    executor_ = boost::asio::any_io_executor();
}

// An exception from the user's log function must not abort a reply halfway.
void strand_scope::write(log_level level, const std::string& line) const noexcept try {
    logger_.write(level, line);
} catch (...) {
}

}  // namespace tandem::detail

#include "loop/event_home.hpp"

#include "loop/home_registry.hpp"

#include <boost/asio/execution/context.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <algorithm>

namespace tandem::detail {

event_home::event_home(const boost::asio::any_io_executor& executor, logger log)
    : executor_(boost::asio::make_strand(executor)), logger_(std::move(log)) {}

std::uint64_t event_home::next_number() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

event_home::~event_home() {
    if (registry_) registry_->remove(*this);
}

// Asio shuts its services down in reverse order of their making. The strand and a timer make theirs
// before, so they still work while the registry is shut down.
void event_home::add(std::weak_ptr<home_tenant> tenant) {
    const std::lock_guard lock(tenants_mutex_);
    if (!registry_ && executor_) {
        const boost::asio::steady_timer first_timer(executor_);
        auto& context = boost::asio::query(executor_, boost::asio::execution::context);
        registry_ = &boost::asio::use_service<home_registry>(context);
        registry_->add(*this);
    }
    // Swept when it has doubled, so that each one costs the same however many there are.
    if (tenants_.size() >= swept_at_) {
        std::erase_if(tenants_, [](const auto& t) { return t.expired(); });
        swept_at_ = std::max<std::size_t>(64, 2 * tenants_.size());
    }
    tenants_.push_back(std::move(tenant));
}

// The latest first: replies end before their conversations. Requests end before the servers they
// run at, which may be younger.
template <class Tell>
void event_home::tell_tenants(const tenant_list& tenants, Tell tell) {
    for (const bool is_server : {false, true})
        for (auto weak = tenants.rbegin(); weak != tenants.rend(); ++weak)
            if (const auto tenant = weak->lock(); tenant && tenant->is_server() == is_server)
                tell(*tenant);
}

event_home::tenant_list event_home::copy_tenants() {
    const std::lock_guard lock(tenants_mutex_);
    return tenants_;
}

event_home::tenant_list event_home::take_tenants() noexcept {
    const std::lock_guard lock(tenants_mutex_);
    return std::exchange(tenants_, {});
}

// They stay in the list: a handle may keep one until after the end of the context, which it must
// hear of, as it still owns timers and executors.
void event_home::close() {
    closed_ = true;
    tell_tenants(copy_tenants(), [](home_tenant& t) { t.home_closed(); });
}

void event_home::context_ended() noexcept {
    closed_ = true;
    registry_ = nullptr;
    tell_tenants(take_tenants(), [](home_tenant& t) { t.context_ended(); });
    // Last, as handlers that are destroyed above may use the client.
    executor_ = boost::asio::any_io_executor();
}

// An exception of the user's function must not end a reply half-way.
void event_home::write(log_level level, const std::string& line) const noexcept try {
    logger_.write(level, line);
} catch (...) {
}

}  // namespace tandem::detail

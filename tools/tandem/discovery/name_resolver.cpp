#include "discovery/name_resolver.hpp"

#include "tandem/config_fields.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <utility>

namespace tandem::command {

using boost::asio::ip::tcp;

struct name_resolver::lookup {
    lookup(const boost::asio::any_io_executor& executor, addresses_handler first)
        : resolver(executor), limit(executor), handlers{std::move(first)} {}

    void finish(const std::vector<std::string>& addresses, const std::string& fault) {
        limit.cancel();
        for (const auto& handler : std::exchange(handlers, {})) handler(addresses, fault);
    }

    tcp::resolver resolver;
    boost::asio::steady_timer limit;
    std::vector<addresses_handler> handlers;  // empty after finish()
};

void name_resolver::resolve(const std::string& host, addresses_handler done) {
    auto& running = running_[host];
    if (const auto other = running.lock()) {
        if (other->handlers.empty()) return done({}, "is still not resolved");
        return other->handlers.push_back(std::move(done));
    }
    const auto l = std::make_shared<lookup>(executor_, std::move(done));
    running = l;
    l->limit.expires_after(limit_);
    l->limit.async_wait([l, limit = limit_](const boost::system::error_code& ec) {
        if (!ec) l->finish({}, fmt::format("is not resolved after {}", tandem::to_string(limit)));
    });
    l->resolver.async_resolve(
        host, "", tcp::resolver::flags(),
        [l](const boost::system::error_code& ec, const tcp::resolver::results_type& found) {
            std::vector<std::string> addresses;
            addresses.reserve(found.size());
            for (const auto& entry : found)
                addresses.push_back(entry.endpoint().address().to_string());
            l->finish(addresses, ec ? ec.message() : "");
        });
}

}  // namespace tandem::command

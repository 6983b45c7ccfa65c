#include "gateway/server/policy_wait.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace tandem::gateway {

boost::asio::awaitable<std::optional<api_error>> ask_policy(http_exchange& exchange,
                                                            gateway_loop& loop,
                                                            const policy_question& question) {
    boost::asio::steady_timer told(loop.executor, boost::asio::steady_timer::time_point::max());
    std::optional<api_error> error;
    bool is_judged = false;
    const auto check = loop.outside_policy->ask(question, [&](std::optional<api_error> why) {
        error = std::move(why);
        is_judged = true;
        told.cancel();
    });
    exchange.when_gone([&] { told.cancel(); });
    while (!is_judged && !exchange.is_gone()) {
        error_code ec;
        co_await told.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ec));
    }
    // The watch goes on for what comes next: begun anew, it would look every few milliseconds.
    exchange.when_gone([] {});
    co_return error;
}

}  // namespace tandem::gateway

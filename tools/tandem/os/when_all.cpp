#include "os/when_all.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>

namespace tandem::command {

boost::asio::awaitable<void> when_all(
    boost::asio::any_io_executor executor, std::size_t count,
    std::function<boost::asio::awaitable<void>(std::size_t)> work) {
    namespace asio = boost::asio;
    asio::steady_timer all_done(executor, std::chrono::steady_clock::time_point::max());
    auto running = count;
    for (std::size_t i = 0; i < count; ++i)
        asio::co_spawn(executor, work(i), [&](std::exception_ptr e) {
            if (e) std::rethrow_exception(e);
            if (--running == 0) all_done.cancel();
        });
    boost::system::error_code ec;
    if (running > 0) co_await all_done.async_wait(asio::redirect_error(asio::use_awaitable, ec));
}

}  // namespace tandem::command

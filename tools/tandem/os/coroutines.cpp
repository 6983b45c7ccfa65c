#include "os/coroutines.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>

namespace tandem::command {

using boost::asio::steady_timer;

void start_coroutine(boost::asio::any_io_executor executor, awaitable<void> work,
                     std::function<void()> on_end) {
    boost::asio::co_spawn(executor, std::move(work),
                          [on_end = std::move(on_end)](std::exception_ptr e) {
                              if (e) std::rethrow_exception(e);
                              on_end();
                          });
}

awaitable<void> wait_for_timer(steady_timer& timer) {
    boost::system::error_code ignored;
    co_await timer.async_wait(redirect_error(use_awaitable, ignored));
}

awaitable<void> run_concurrently(boost::asio::any_io_executor executor, std::size_t count,
                                 std::function<awaitable<void>(std::size_t)> work) {
    steady_timer all_done(executor, steady_timer::time_point::max());
    auto running = count;
    for (std::size_t i = 0; i < count; ++i)
        start_coroutine(executor, work(i), [&] {
            if (--running == 0) all_done.cancel();
        });
    if (running > 0) co_await wait_for_timer(all_done);
}

}  // namespace tandem::command

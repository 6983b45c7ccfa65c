#pragma once

// clang-format off
#include <utility>  // Boost 1.74's awaitable.hpp needs <utility>, but does not include it
// clang-format on

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstddef>
#include <functional>

// Coroutines of an event loop. An exception propagates out of the loop.
namespace tandem::command {

using boost::asio::awaitable;
using boost::asio::redirect_error;
using boost::asio::use_awaitable;

/// Runs `work` on the executor, then calls `on_end`.
void start_coroutine(boost::asio::any_io_executor executor, awaitable<void> work,
                     std::function<void()> on_end);

/// Waits until the timer expires or is cancelled.
awaitable<void> wait_for_timer(boost::asio::steady_timer& timer);

/// Runs `work` concurrently for each number below `count` on a single-threaded executor, and waits
/// for all of them.
awaitable<void> run_concurrently(boost::asio::any_io_executor executor, std::size_t count,
                                 std::function<awaitable<void>(std::size_t)> work);

}  // namespace tandem::command

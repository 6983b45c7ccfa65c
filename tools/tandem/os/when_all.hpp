#pragma once

// clang-format off
#include <utility>  // Boost 1.74's awaitable.hpp uses it without including it
// clang-format on

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>

namespace tandem::command {

/// Runs `work` concurrently for each number below `count` on a single-threaded executor, and waits
/// for all of them. An exception from `work` propagates out of the event loop.
boost::asio::awaitable<void> when_all(
    boost::asio::any_io_executor executor, std::size_t count,
    std::function<boost::asio::awaitable<void>(std::size_t)> work);

}  // namespace tandem::command

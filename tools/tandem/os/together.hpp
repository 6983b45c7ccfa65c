#pragma once

// clang-format off
#include <utility>  // Boost 1.74's awaitable.hpp uses it without including it
// clang-format on

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>

namespace tandem::command {

/// Runs `work` for each number below `count` side by side, on an executor of one thread, and waits
/// for all of them. An exception that ends one of them leaves the event loop.
boost::asio::awaitable<void> together(
    boost::asio::any_io_executor executor, std::size_t count,
    std::function<boost::asio::awaitable<void>(std::size_t)> work);

}  // namespace tandem::command

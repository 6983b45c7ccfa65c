#pragma once

#include "flags/named_server.hpp"

#include "tandem/config.hpp"

// clang-format off
#include <utility>  // Boost 1.74's awaitable.hpp uses it without including it
// clang-format on

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// Asks those servers for the name of their model that have none, all at once, each for at most
/// 2 s. It stays empty where a server tells none, with the cause. On an executor of one thread.
boost::asio::awaitable<void> ask_models(boost::asio::any_io_executor executor,
                                        const config& settings, std::vector<named_server>& servers);

}  // namespace tandem::command

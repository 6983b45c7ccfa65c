#pragma once

#include "flags/named_server.hpp"

#include "tandem/config.hpp"
#include "tandem/instruments.hpp"

// clang-format off
#include <utility>  // Boost 1.74's awaitable.hpp uses it without including it
// clang-format on

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// Queries the servers without a model name concurrently, with a limit of 2 s each. On failure the
/// name stays empty and the cause is stored. Requires a single-threaded executor.
boost::asio::awaitable<void> fetch_model_names(boost::asio::any_io_executor executor,
                                               const config& settings, const instruments& i,
                                               std::vector<named_server>& servers);

}  // namespace tandem::command

#pragma once

#include "flags/named_server.hpp"
#include "os/coroutines.hpp"

#include "tandem/config.hpp"
#include "tandem/instruments.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <vector>

namespace tandem::command {

/// Queries the servers without a model name concurrently, with a limit of 2 s each. If a query
/// fails, stores the cause in `no_answer_reason`, and the name stays empty. Requires a
/// single-threaded executor.
awaitable<void> fetch_model_names(boost::asio::any_io_executor executor, const config& settings,
                                  const instruments& i, std::vector<named_server>& servers);

}  // namespace tandem::command

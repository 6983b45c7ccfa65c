#pragma once

#include "tandem/service_config.hpp"

// clang-format off
#include <utility>  // Boost 1.74's awaitable.hpp uses it without including it
// clang-format on

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <string>

namespace tandem::command {

/// What a model is called, and by which server (without user and password).
struct told_model {
    std::string name{};
    std::string url{};
};

/// Longer names, and those that are not UTF-8, are none. As long as a key file's may be.
inline constexpr std::size_t max_model_name_bytes = 256;
bool is_model_name(const std::string& name);

/// Asks all servers at once, each for at most 2 s; the first in the list that tells a name has its
/// way. The name is empty if none does. On an executor of one thread.
boost::asio::awaitable<told_model> ask_model(boost::asio::any_io_executor executor,
                                             const service_config& settings);

}  // namespace tandem::command

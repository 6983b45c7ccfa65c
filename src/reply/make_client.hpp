#pragma once

#include "tandem/client.hpp"

namespace tandem::detail {

/// A client without values of its own: the server's settings hold where `c` has none. It uses all
/// slots, and a guard as the build allows, unless others are set.
client make_client(const boost::asio::any_io_executor& executor, config c);

}  // namespace tandem::detail

#pragma once

#include "config/usual_values.hpp"

#include "tandem/client.hpp"

namespace tandem::detail {

/// A client without sampling of its own: the server's settings hold where `c` has none.
client make_client(const boost::asio::any_io_executor& executor, config c,
                   const slot_defaults& usual);

}  // namespace tandem::detail

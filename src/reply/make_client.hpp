#pragma once

#include "config/config_defaults.hpp"

#include "tandem/client.hpp"

namespace tandem::detail {

/// A client without its own sampling defaults: fields unset in `c` use the server's settings.
client make_client(const boost::asio::any_io_executor& executor, config c, instruments i,
                   const slot_defaults& usual);

}  // namespace tandem::detail

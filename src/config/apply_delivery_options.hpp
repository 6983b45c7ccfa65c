#pragma once

#include "tandem/config.hpp"

namespace tandem {

/// The configuration of a reply with these options.
config apply_delivery_options(config c, const delivery_options& o);

}  // namespace tandem

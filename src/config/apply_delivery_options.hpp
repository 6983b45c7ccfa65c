#pragma once

#include "tandem/config.hpp"

namespace tandem {

/// Returns `c` with the settings that these options of a reply replace.
config apply_delivery_options(config c, const delivery_options& o);

}  // namespace tandem

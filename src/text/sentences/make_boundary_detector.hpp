#pragma once

#include "text/sentences/boundary_detector.hpp"

#include "tandem/config.hpp"

#include <memory>
#include <string_view>

namespace tandem::text {

/// Creates a detector for one reply. `language` is a BCP 47 tag, or empty.
std::unique_ptr<boundary_detector> make_boundary_detector(boundary_rule rule,
                                                          std::string_view language = {});

}  // namespace tandem::text

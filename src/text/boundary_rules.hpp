#pragma once

#include "text/boundary_detector.hpp"

#include "tandem/config.hpp"

#include <memory>

namespace tandem::text {

/// A fresh detector for one reply.
std::unique_ptr<boundary_detector> make_boundary_detector(boundary_rule rule);

}  // namespace tandem::text

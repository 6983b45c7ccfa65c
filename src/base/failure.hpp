#pragma once

#include "tandem/error.hpp"

namespace tandem {

/// Why something cannot be had, for programs and for people.
struct failure {
    error_code ec;
    diagnostics diag;
};

}  // namespace tandem

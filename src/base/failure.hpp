#pragma once

#include "tandem/error.hpp"

namespace tandem {

/// The reason for an error: a code for programs, diagnostics for people.
struct failure {
    error_code ec;
    diagnostics diag;
};

}  // namespace tandem

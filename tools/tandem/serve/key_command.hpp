#pragma once

#include <string>

namespace tandem::command {

/// What `tandem key` was asked for.
struct key_options {
    /// Empty = one of its own.
    std::string name{};
};

/// Carries out `tandem key`; returns the exit status.
int run_key(const key_options& options);

}  // namespace tandem::command

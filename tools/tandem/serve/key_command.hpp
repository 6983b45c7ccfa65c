#pragma once

#include <string>

namespace tandem::command {

struct key_options {
    /// Empty = a generated name.
    std::string name{};
};

/// Runs `tandem key`; returns the exit status.
int run_key(const key_options& options);

}  // namespace tandem::command

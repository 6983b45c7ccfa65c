#pragma once

#include "tandem/sentence.hpp"

#include <string>

namespace tandem::command {

struct segment_options {
    sentence_options sentences{};
    /// "-" for stdin.
    std::string file = "-";
    /// Whether to read plain text and print sentences for humans.
    bool text = false;
};

/// Runs `tandem segment`; returns the exit status.
int run_segment(const segment_options& options);

}  // namespace tandem::command

#pragma once

#include "tandem/sentence.hpp"

#include <string>

namespace tandem::command {

/// What `tandem segment` was asked for.
struct segment_options {
    sentence_options sentences{};
    /// "-" for stdin.
    std::string file = "-";
    /// The file is plain text, and sentences are shown to people.
    bool text = false;
};

/// Carries out `tandem segment`; returns the exit status.
int run_segment(const segment_options& options);

}  // namespace tandem::command

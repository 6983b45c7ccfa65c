#pragma once

#include "base/time.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace tandem::slots {

/// A fault that some builds of llama-server have.
struct build_fault {
    /// Builds that have it, as far as reported; `last` of 0: none is known to be free of it.
    int first;
    int last;
    /// What happens, in a few words, and what helps.
    const char* what;
    const char* remedy;
    /// Issues and pull requests of ggml-org/llama.cpp.
    const char* issues;
    /// The server dies, with some models, when it continues after a cut.
    bool deadly = false;
};

/// The number in a build's name: 11669 of "b11669-Debian"; nothing if there is none.
std::optional<int> build_number(std::string_view build_info);

/// What is known against a build; empty for one that is not known.
std::vector<build_fault> faults_of(std::string_view build_info);

/// Whether one of these faults is deadly.
bool may_die_of_cuts(std::string_view build_info);

/// Whether a slot may be asked again right after a cut: the build is one on which that was tried
/// long enough, or a later one.
bool is_sound(std::string_view build_info);

/// Whether its stream reports how much of a prompt it has evaluated (`return_progress`):
/// https://github.com/ggml-org/llama.cpp/pull/15827.
bool tells_progress(std::string_view build_info);

/// What `reuse_guard = auto` means for a build: none where is_sound(), else 2 s.
duration safe_reuse_guard(std::string_view build_info);

}  // namespace tandem::slots

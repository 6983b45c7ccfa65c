#pragma once

#include "base/time.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace tandem::slots {

/// A fault of some builds of llama-server.
struct build_fault {
    /// The affected builds, as far as reported; `last` = 0: no fixed build is known.
    int first;
    int last;
    /// The effect in a few words, and the remedy.
    const char* what;
    const char* remedy;
    /// Issues and pull requests of ggml-org/llama.cpp.
    const char* issues;
    /// The server crashes, with some models, when a reply continues after a cut.
    bool deadly = false;
};

/// The number in a build's name: 11669 for "b11669-Debian"; nullopt if there is none.
std::optional<int> build_number(std::string_view build_info);

/// The known faults of a build; empty for an unknown build.
std::vector<build_fault> faults_of(std::string_view build_info);

/// Whether one of the build's faults crashes the server after a cut.
bool may_crash_after_cut(std::string_view build_info);

/// Whether a slot may be used again right after a cut. This was tested with one build, and is
/// assumed of later builds.
bool is_safe_for_instant_reuse(std::string_view build_info);

/// Whether the build's stream reports prompt progress (`return_progress`):
/// https://github.com/ggml-org/llama.cpp/pull/15827.
bool reports_prompt_progress(std::string_view build_info);

/// The meaning of `reuse_guard = auto` for a build: no guard if is_safe_for_instant_reuse(), else 2
/// s.
duration choose_reuse_guard(std::string_view build_info);

}  // namespace tandem::slots

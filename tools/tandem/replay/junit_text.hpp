#pragma once

#include "recording/expectation_check.hpp"

#include <string>
#include <vector>

namespace tandem::command {

/// A turn with expectations.
struct junit_case {
    /// The reply's id.
    std::string name{};
    checked_turn outcome{};
};

/// Returns a JUnit XML file. `file` is the class name of the cases. `unchecked` is the number of
/// turns with expectations that did not finish; the file reports them as one error.
std::string junit_text(const std::string& file, const std::vector<junit_case>& cases,
                       int unchecked);

}  // namespace tandem::command

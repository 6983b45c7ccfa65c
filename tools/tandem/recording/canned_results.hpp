#pragma once

#include "recording/prompt_file.hpp"

#include <cstddef>
#include <map>
#include <string>

namespace tandem::command {

/// Hands out the `results` of a dialogue during one run of it.
class canned_results {
 public:
    /// `d` must outlive this object.
    explicit canned_results(const dialogue& d) : dialogue_(d) {}

    /// Returns the result of the next call of this function. The last one is repeated.
    std::string next(const std::string& function);

 private:
    const dialogue& dialogue_;
    std::map<std::string, std::size_t> used_;
};

}  // namespace tandem::command

#pragma once

#include <string>
#include <vector>

namespace tandem::testing {

/// Returns `texts` as a null-terminated array for exec(). `texts` must outlive the result.
inline std::vector<char*> argument_pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (auto& t : texts) result.push_back(t.data());
    result.push_back(nullptr);
    return result;
}

}  // namespace tandem::testing

#include "recording/canned_results.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tandem::command {

std::string canned_results::next(const std::string& function) {
    const auto found = dialogue_.results.find(function);
    if (found == dialogue_.results.end())
        return fmt::format("Error: there is no result for \"{}\"", function);
    const auto& texts = found->second;
    return texts[std::min(used_[function]++, texts.size() - 1)];
}

}  // namespace tandem::command

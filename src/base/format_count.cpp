#include "base/format_count.hpp"

#include <fmt/format.h>

namespace tandem {

std::string format_count(std::int64_t n, std::string_view what) {
    if (n == 1) return fmt::format("1 {}", what);
    const bool ends_in_y = what.size() > 1 && what.ends_with('y') &&
                           std::string_view("aeiou").find(what[what.size() - 2]) == what.npos;
    return ends_in_y ? fmt::format("{} {}ies", n, what.substr(0, what.size() - 1))
                     : fmt::format("{} {}s", n, what);
}

}  // namespace tandem

#pragma once

#include <array>
#include <set>
#include <string_view>

namespace tandem::gateway {

/// A right that a route requires.
enum class right {
    open,      ///< requires no key
    generate,  ///< request replies
    read,      ///< list the models
    metrics,   ///< read the metrics
    admin,     ///< manage adapters
};

/// Rights that a key can have.
inline constexpr std::array rights_of_keys{right::generate, right::read, right::metrics,
                                           right::admin};

/// The spelling in a key file; empty for an invalid value.
constexpr std::string_view to_string(right r) noexcept {
    switch (r) {
        case right::open:
            return "open";
        case right::generate:
            return "generate";
        case right::read:
            return "read";
        case right::metrics:
            return "metrics";
        case right::admin:
            return "admin";
    }
    return {};
}

/// No right implies another.
using right_set = std::set<right>;

}  // namespace tandem::gateway

#pragma once

#include "base/enum_names.hpp"

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

/// The name in a key file; empty for an invalid value.
constexpr std::string_view to_string(right r) noexcept {
    return find_enum_name({"open", "generate", "read", "metrics", "admin"}, r);
}

/// No right implies another.
using right_set = std::set<right>;

}  // namespace tandem::gateway

#pragma once

#include <array>
#include <initializer_list>
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

/// A set of rights. No right implies another.
class right_set {
 public:
    constexpr right_set(std::initializer_list<right> rights) {
        for (const auto r : rights) add(r);
    }
    constexpr void add(right r) noexcept { bits_ |= bit(r); }
    constexpr bool has(right r) const noexcept { return (bits_ & bit(r)) != 0; }

 private:
    static constexpr unsigned bit(right r) noexcept { return 1u << static_cast<unsigned>(r); }

    unsigned bits_ = 0;
};

}  // namespace tandem::gateway

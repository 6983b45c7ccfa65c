#pragma once

#include <array>
#include <initializer_list>
#include <string_view>

namespace tandem::gateway {

/// What a key may be good for.
enum class right {
    open,      ///< needs no key
    generate,  ///< have replies made
    read,      ///< see which models there are
    metrics,   ///< see what was measured
    admin,     ///< change what is served
};

/// Those that a key can have.
inline constexpr std::array rights_of_keys{right::generate, right::read, right::metrics,
                                           right::admin};

/// As in a key file; empty for a value that names nothing.
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

/// Some rights. None of them brings another one with it.
class right_set {
 public:
    constexpr right_set(std::initializer_list<right> rights) {
        for (const auto r : rights) add(r);
    }
    constexpr void add(right r) noexcept { bits_ |= bit(r); }
    constexpr bool has(right r) const noexcept { return (bits_ & bit(r)) != 0; }
    constexpr bool is_empty() const noexcept { return bits_ == 0; }

 private:
    static constexpr unsigned bit(right r) noexcept { return 1u << static_cast<unsigned>(r); }

    unsigned bits_ = 0;
};

}  // namespace tandem::gateway

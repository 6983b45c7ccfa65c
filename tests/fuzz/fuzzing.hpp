#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace tandem::fuzzing {

/// Aborts the program if `holds` is false, so that the fuzzer stores the input.
inline void require(bool holds) {
    if (!holds) std::abort();
}

/// The fuzzer's input. A target takes the first bytes as settings, which control the use of the
/// remaining bytes.
class input {
 public:
    input(const std::uint8_t* data, std::size_t size)
        : rest_(reinterpret_cast<const char*>(data), size) {}

    /// A number from 0 to `most`; 0 if no bytes remain.
    std::size_t number(std::size_t most) {
        if (rest_.empty()) return 0;
        const auto byte = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        return byte % (most + 1);
    }
    std::string_view bytes(std::size_t count) {
        const auto taken = rest_.substr(0, count);
        rest_.remove_prefix(taken.size());
        return taken;
    }
    std::string_view rest() const { return rest_; }

 private:
    std::string_view rest_;
};

/// Calls `use` with the parts of `text`, in order. `seed` determines the sizes of the parts.
template <class Use>
void in_parts(std::string_view text, std::size_t seed, Use use) {
    for (std::size_t step = seed; !text.empty(); step = step * 7 + 3) {
        const auto part = text.substr(0, 1 + step % (1 + seed % 13));
        use(part);
        text.remove_prefix(part.size());
    }
}

}  // namespace tandem::fuzzing

#include "gateway/answers/random_ids.hpp"

namespace tandem::gateway {
namespace {

/// Distributes consecutive seeds, such as counter values, over the whole range (the finalizer of
/// SplitMix64).
std::uint64_t spread(std::uint64_t x) noexcept {
    x += 0x9E3779B97F4A7C15;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
}

std::string make_call_id(std::uint64_t seed, std::uint64_t number) {
    constexpr int digits = 5;
    std::string id = "call";
    auto value = spread(seed) % (std::uint64_t{1} << 62) + number;
    for (int i = 0; i < digits; ++i) {
        id += id_characters[value % id_characters.size()];
        value /= id_characters.size();
    }
    return id;
}

}  // namespace

void set_call_ids(std::vector<tool_call>& calls, std::uint64_t seed) {
    for (std::uint64_t i = 0; auto& call : calls) call.id = make_call_id(seed, i++);
}

}  // namespace tandem::gateway

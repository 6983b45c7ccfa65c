#include "gateway/answers/random_ids.hpp"

#include "base/mix_bits.hpp"

namespace tandem::gateway {
namespace {

std::string make_call_id(std::uint64_t seed, std::uint64_t number) {
    constexpr int digits = 5;
    std::string id = "call";
    auto value = mix_bits(seed) % (std::uint64_t{1} << 62) + number;
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

#pragma once

#include "tandem/server.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::gateway {

inline constexpr std::string_view id_characters =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// `prefix`, such as "chatcmpl-", followed by 24 letters and digits from `random`, a uniform random
/// bit generator. 142 random bits make collisions negligible.
template <class Generator>
std::string make_random_id(std::string_view prefix, Generator& random) {
    constexpr std::size_t length = 24;
    std::uniform_int_distribution<std::size_t> any(0, id_characters.size() - 1);
    std::string id(prefix);
    for (std::size_t i = 0; i < length; ++i) id += id_characters[any(random)];
    return id;
}

/// Gives the calls of an answer ids that are very likely unique across seeds. Each id consists of 9
/// letters and digits, such as "call2Gx7a", because chat templates of Mistral models reject
/// anything else; other models accept any id.
void set_call_ids(std::vector<tool_call>& calls, std::uint64_t seed);

}  // namespace tandem::gateway

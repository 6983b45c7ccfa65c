#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace tandem::gateway {

inline constexpr std::string_view id_characters =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// `prefix`, as in "chatcmpl-", and 24 letters and digits from `random`, a generator of the
/// standard library's kind: 142 bits, so that no two are the same.
template <class Generator>
std::string random_id(std::string_view prefix, Generator& random) {
    constexpr std::size_t length = 24;
    std::uniform_int_distribution<std::size_t> any(0, id_characters.size() - 1);
    std::string id(prefix);
    for (std::size_t i = 0; i < length; ++i) id += id_characters[any(random)];
    return id;
}

/// The id of a call of a tool: different for each `number` below 916 million with one `seed`, and
/// likely so with others. It has 9 letters and digits, as "call2Gx7a": the templates of Mistral's
/// models refuse all others, and those of other models take any.
std::string call_id(std::uint64_t seed, std::uint64_t number);

}  // namespace tandem::gateway

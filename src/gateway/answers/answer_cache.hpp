#pragma once

#include "gateway/answers/bounded_cache.hpp"
#include "gateway/answers/finished_answer.hpp"
#include "gateway/answers/request_digest.hpp"

#include <chrono>
#include <cstddef>

namespace tandem::gateway {

/// Default limits of the answer cache. 0 entries disable the cache.
inline constexpr cache_limits default_answer_cache_limits{
    .entries = 64,
    .bytes = std::size_t{16} << 20,
    // Short, because the server may load another model at any time.
    .ttl = std::chrono::seconds(60),
};

/// Complete answers to identical questions.
using answer_cache = bounded_cache<request_digest, finished_answer>;

}  // namespace tandem::gateway

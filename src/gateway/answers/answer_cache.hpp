#pragma once

#include "gateway/answers/bounded_cache.hpp"
#include "gateway/answers/chat_answer.hpp"
#include "gateway/answers/request_digest.hpp"

#include <chrono>
#include <cstddef>
#include <utility>

namespace tandem::gateway {

/// Default limits of the answer cache. 0 entries disable it.
inline constexpr cache_limits default_answer_cache_limits{
    .entries = 64,
    .bytes = std::size_t{16} << 20,
    // Short, because the server may load another model at any time.
    .ttl = std::chrono::seconds(60),
};

/// Caches complete answers for identical questions. Pure; use on one strand.
class answer_cache {
 public:
    explicit answer_cache(cache_limits limits) : answers_(limits) {}

    /// Returns nullptr if there is no valid entry. The pointer is valid until the next call.
    const finished_answer* find(time_point now, const request_digest& question) {
        return answers_.find(now, question);
    }
    /// Ignores incomplete answers.
    void store(time_point now, const request_digest& question, const finished_answer& answer) {
        if (is_complete(answer)) answers_.put(now, question, answer, estimate_bytes(answer));
    }

 private:
    bounded_cache<request_digest, finished_answer> answers_;
};

}  // namespace tandem::gateway

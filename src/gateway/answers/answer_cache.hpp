#pragma once

#include "gateway/answers/bounded_cache.hpp"
#include "gateway/answers/chat_answer.hpp"
#include "gateway/answers/question_key.hpp"

#include <chrono>
#include <cstddef>
#include <utility>

namespace tandem::gateway {

/// Bounds of the answers that are kept. Without entries nothing is kept.
inline constexpr cache_limits default_answer_cache{
    .entries = 64,
    .bytes = std::size_t{16} << 20,
    // Another model may have come in the meantime.
    .ttl = std::chrono::seconds(60),
};

/// Whole answers, for those who ask the same again. Pure; for one strand.
class answer_cache {
 public:
    explicit answer_cache(cache_limits limits) : answers_(limits) {}

    /// Nothing where it is not there, or no more. Good until the next call.
    const finished_answer* find(time_point now, const question_key& question) {
        return answers_.find(now, question);
    }
    /// Does nothing with an answer that is not whole.
    void keep(time_point now, const question_key& question, const finished_answer& answer) {
        if (is_whole(answer)) answers_.put(now, question, answer, bytes_of(answer));
    }

 private:
    bounded_cache<question_key, finished_answer> answers_;
};

}  // namespace tandem::gateway

#pragma once

#include "base/time.hpp"
#include "gateway/answers/bounded_cache.hpp"
#include "gateway/answers/chat_answer.hpp"
#include "gateway/answers/question_key.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

namespace tandem::gateway {

/// What is kept of answers for those who ask the same later. Without entries nothing is kept, and
/// no question is asked for two clients.
inline constexpr cache_limits default_answer_cache{
    .entries = 64,
    .bytes = std::size_t{16} << 20,
    // Another model may have come in the meantime.
    .ttl = std::chrono::seconds(60),
};

/// Names a question that is being asked of a server.
using question_id = std::uint64_t;
inline constexpr question_id no_question = 0;

/// Which requests one reply answers: those that ask the same at the same time, and those that ask
/// it again while the answer is kept. Pure; for one strand.
class shared_answers {
 public:
    using answer_ptr = std::shared_ptr<const finished_answer>;

    explicit shared_answers(cache_limits kept = default_answer_cache)
        : is_on_(kept.entries > 0), kept_(kept) {}

    /// What one who asks gets: an answer that was kept, or a question and whether it is the first
    /// to ask it, so that a reply must be begun.
    struct asked {
        answer_ptr answer{};
        question_id question = no_question;
        bool is_first = false;
    };
    /// Without a key nobody joins, and nothing is kept. Each must leave(), or be answered().
    asked ask(time_point now, const std::optional<question_key>& key);

    /// One who asked is gone. True if nobody waits any more: the reply is to be ended, and the next
    /// one who asks is a first one.
    bool leave(question_id q);
    /// The reply has ended, with nothing where it failed. Nobody joins any more, and what is whole
    /// is kept.
    void answered(time_point now, question_id q, answer_ptr answer);

    /// Whether there is a use for keys.
    bool is_on() const noexcept { return is_on_; }
    std::size_t kept() const noexcept { return kept_.size(); }
    std::size_t kept_bytes() const noexcept { return kept_.bytes(); }
    std::size_t open_questions() const noexcept { return open_.size(); }

 private:
    struct open_question {
        std::optional<question_key> key;
        std::size_t askers = 1;
    };

    void close(std::map<question_id, open_question>::iterator at);

    bool is_on_;
    question_id last_ = no_question;
    std::map<question_id, open_question> open_{};
    std::map<question_key, question_id> joinable_{};
    bounded_cache<question_key, answer_ptr> kept_;
};

}  // namespace tandem::gateway

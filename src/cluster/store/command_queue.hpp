#pragma once

#include "base/time.hpp"
#include "cluster/store/store_answer.hpp"

#include <deque>
#include <optional>
#include <vector>

namespace tandem::cluster {

/// The unanswered commands of a connection, and their time limits. Pure.
class command_queue {
 public:
    /// A connection on which an answer takes longer must be closed.
    static constexpr duration answer_limit = std::chrono::seconds(1);
    static constexpr std::size_t max_commands = 10'000;

    bool is_full() const noexcept { return commands_.size() >= max_commands; }
    /// An answer that arrives after `limit` (at most `answer_limit`) is dropped.
    void push(time_point now, duration limit, store_answer_handler done);

    /// Removes the oldest command, because its answer has arrived, and returns its handler: null if
    /// the answer came too late. Returns nullopt if no command is waiting.
    std::optional<store_answer_handler> pop();

    struct overdue {
        std::vector<store_answer_handler> handlers{};
        /// Whether the oldest command has waited for `answer_limit`: the connection must be closed.
        bool is_stuck = false;
    };
    overdue take_overdue(time_point now);
    /// When to call take_overdue() next.
    time_point next_limit() const noexcept;

    /// Removes all commands, and returns the handlers of those that were not answered.
    std::vector<store_answer_handler> reset();

 private:
    struct command {
        time_point sent;
        time_point limit;
        store_answer_handler done;  // null once `limit` has passed
    };

    std::deque<command> commands_;
};

}  // namespace tandem::cluster

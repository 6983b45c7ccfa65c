#pragma once

#include "base/time.hpp"
#include "cluster/store/store_answer.hpp"
#include "server/circuit_breaker.hpp"

#include <deque>
#include <optional>
#include <vector>

namespace tandem::cluster {

/// The unanswered commands of a connection, and their time limits. If three commands in a row get
/// no answer in time, it rejects further ones for a second, and then accepts one that decides.
/// Pure.
class command_queue {
 public:
    /// The connection is closed if an answer takes longer.
    static constexpr duration answer_limit = std::chrono::seconds(1);
    static constexpr std::size_t max_commands = 10'000;

    bool accepts(time_point now) const noexcept {
        return commands_.size() < max_commands && circuit_.allows(now);
    }
    /// An answer that arrives after `limit` (at most `answer_limit`) is dropped.
    void push(time_point now, duration limit, store_answer_handler done);

    struct answered {
        store_answer_handler done{};  ///< null if the answer came too late
        bool closed_circuit = false;
    };
    /// Takes the oldest command, which is answered now; nullopt if there is none.
    std::optional<answered> pop();

    struct overdue {
        std::vector<store_answer_handler> handlers{};
        bool opened_circuit = false;
        /// The connection must be closed.
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
        store_answer_handler done;  // null after the limit
    };

    std::deque<command> commands_;
    detail::circuit_breaker circuit_{3, std::chrono::seconds(1)};
};

}  // namespace tandem::cluster

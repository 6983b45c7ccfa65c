#include "cluster/store/command_queue.hpp"

#include <algorithm>
#include <utility>

namespace tandem::cluster {

void command_queue::push(time_point now, duration limit, store_answer_handler done) {
    commands_.push_back({now, now + std::min(limit, answer_limit), std::move(done)});
}

std::optional<store_answer_handler> command_queue::pop() {
    if (commands_.empty()) return std::nullopt;
    auto done = std::move(commands_.front().done);
    commands_.pop_front();
    return done;
}

auto command_queue::take_overdue(time_point now) -> overdue {
    overdue o;
    for (auto& c : commands_) {
        if (c.done && c.limit <= now) o.handlers.push_back(std::exchange(c.done, nullptr));
    }
    o.is_stuck = !commands_.empty() && commands_.front().sent + answer_limit <= now;
    return o;
}

time_point command_queue::next_limit() const noexcept {
    if (commands_.empty()) return never;
    auto next = commands_.front().sent + answer_limit;
    for (const auto& c : commands_)
        if (c.done) next = std::min(next, c.limit);
    return next;
}

std::vector<store_answer_handler> command_queue::reset() {
    std::vector<store_answer_handler> handlers;
    for (auto& c : std::exchange(commands_, {}))
        if (c.done) handlers.push_back(std::move(c.done));
    return handlers;
}

}  // namespace tandem::cluster

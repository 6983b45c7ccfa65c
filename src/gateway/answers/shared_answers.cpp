#include "gateway/answers/shared_answers.hpp"

#include <utility>

namespace tandem::gateway {

auto shared_answers::ask(time_point now, const std::optional<question_key>& key) -> asked {
    const auto shared = is_on() ? key : std::nullopt;
    if (shared) {
        if (const auto* answer = kept_.find(now, *shared)) return {.answer = *answer};
        if (const auto same = joinable_.find(*shared); same != joinable_.end()) {
            ++open_.at(same->second).askers;
            return {.question = same->second};
        }
        joinable_.emplace(*shared, last_ + 1);
    }
    open_.emplace(++last_, open_question{.key = shared});
    return {.question = last_, .is_first = true};
}

bool shared_answers::leave(question_id q) {
    const auto at = open_.find(q);
    if (at == open_.end() || --at->second.askers > 0) return false;
    close(at);
    return true;
}

void shared_answers::answered(time_point now, question_id q, answer_ptr answer) {
    const auto at = open_.find(q);
    if (at == open_.end()) return;
    const auto key = at->second.key;
    close(at);
    if (key && answer && is_whole(*answer)) {
        const auto bytes = bytes_of(*answer);
        kept_.put(now, *key, std::move(answer), bytes);
    }
}

void shared_answers::close(std::map<question_id, open_question>::iterator at) {
    if (at->second.key) joinable_.erase(*at->second.key);
    open_.erase(at);
}

}  // namespace tandem::gateway

#include "recording/answer_script.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace tandem::detail {
namespace {

answer_script script_with(std::vector<answer_step> steps) {
    return
        [steps = std::move(steps), next = std::size_t{0}]() mutable -> std::optional<answer_step> {
            if (next == steps.size()) return std::nullopt;
            return std::move(steps[next++]);
        };
}

}  // namespace

answer_script make_answer_script(const recorded_exchange& x) {
    using kind = answer_step::kind;
    std::vector<answer_step> steps;
    auto at = x.sent_at;
    const auto add = [&](answer_step step, duration when) {
        step.delay = when - std::exchange(at, when);
        steps.push_back(std::move(step));
    };
    if (x.http_status) add({.what = kind::status, .http_status = *x.http_status}, x.status_at);
    for (const auto& piece : x.pieces) add({.bytes = piece.bytes}, piece.at);
    if (!x.was_cut) add({.what = kind::end, .ec = x.ec, .message = x.message}, x.ended_at);
    return script_with(std::move(steps));
}

answer_script make_answer_script(int http_status, std::string body) {
    using kind = answer_step::kind;
    return script_with({{.what = kind::status, .http_status = http_status},
                        {.bytes = std::move(body)},
                        {.what = kind::end}});
}

}  // namespace tandem::detail

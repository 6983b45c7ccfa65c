#include "reply/machine/reply_machine.hpp"

#include <utility>

// A draft: a reply that is generated to the end of its first chunk before a listener waits for it.
namespace tandem::detail {
namespace {

using phase = reply_phase;

}  // namespace

// The token after the chunk may end the text; reading this token saves a later request.
void reply_machine::end_complete_draft(time_point now) {
    if (ended()) return;
    if (outcome_ && outcome_->error.ec) return finish(now, *std::exchange(outcome_, {}));
    const bool peeks = phase_ == phase::peeking && !is_committed_;
    const bool has_chunk = delivery_.next_chunk() && !peeks;
    if (has_chunk || outcome_ || calls_.has_call()) finish(now, {finish_reason::interrupted});
}

void reply_machine::keep_drafted_chunk() {
    for (const auto& c : delivery_.held()) {
        if (c.text.empty()) continue;
        rest_.drafted_chunk = {c.text, c.boundary, c.tokens, c.language};
        return;
    }
}

void reply_machine::on_draft_committed(time_point now) {
    is_committed_ = true;
    if (phase_ == phase::queued) actions_.push_back(action::update_slot_request{});
    hand_over_due_chunks(now);
}

}  // namespace tandem::detail

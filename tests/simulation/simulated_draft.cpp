#include "simulation/simulated_draft.hpp"

#include "conversation/chatml.hpp"
#include "simulation/simulated_conversation.hpp"
#include "simulation/simulated_service.hpp"

#include <utility>

// Drafts of a simulated conversation. Some drafts answer words that differ from those the user ends
// up saying.
namespace tandem::test {

using namespace std::chrono_literals;

simulated_draft::simulated_draft(simulated_world& world, std::uint64_t id, reply_plan plan,
                                 simulated_server& core, slots::owner_id owner,
                                 std::function<void()> on_ended, std::function<void()> on_over)
    : world_(world),
      plan_(std::move(plan)),
      core_(core),
      on_ended_(std::move(on_ended)),
      on_over_(std::move(on_over)),
      reply_(world, id, make_draft_plan(plan_),
             make_single_server_source(
                 core, owner,
                 {.prompt = {.text = plan_.model.prompt()}, .call_mark = std::string(call_mark)}),
             *this) {}

reply_plan simulated_draft::make_draft_plan(reply_plan plan) {
    plan.rules.is_draft = true;
    plan.rules.retry_policy.retries = 0;
    return plan;
}

void simulated_draft::stop() {
    is_stopped_ = true;
    reply_.interrupt();
}

void simulated_draft::leave_server(const detail::server_leave_reason& reason) {
    if (!reply_.refutes_reason(reason)) return stop();
    world_.note("a draft stays at a server whose check failed");
}

detail::reply_origin simulated_draft::take_origin() {
    return {.rest = std::exchange(rest_, {}), .early = {.drafted = generated_}};
}

void simulated_draft::on_called(std::uint64_t, std::vector<tool_call>) {
    world_.check(false, "a draft calls nothing");
}

void simulated_draft::on_ended(std::uint64_t, const reply_result& result,
                               detail::reply_remainder rest) {
    generated_ = result.usage.generated;
    if (core_.is_known()) model_ = core_.model();
    const bool has_text = rest.generated || !rest.text.generated().empty();
    if (!result.error && !is_stopped_ && has_text) rest_ = std::move(rest);
    // on_over_ must wait, because the reply is still performing its actions.
    world_.at({}, on_over_);
    on_ended_();
}

// --- drafts of a conversation

void simulated_conversation::draft(const std::string& words) {
    if (auto* const placed = service_.place(core_, false, {}))
        pin(placed);
    else
        return commit(words);
    auto trial = history_;
    trial.append({.role = "user", .content = words});
    auto plan = random_plan(world_.random(), conversations::render_chatml(trial.messages()));
    draft_ = std::make_unique<simulated_draft>(
        world_, service_.next_id(), std::move(plan), *core_, id_,
        [this] { service_.on_turn_ended(std::exchange(drafting_at_, nullptr)); },
        [this, count = old_drafts_.size()] {
            if (old_drafts_.size() == count) on_draft_over();
        });
    drafting_at_ = core_;
    service_.on_turn_started(core_);
    draft_->start();
    const bool is_right = chance(world_.random(), 0.8);
    world_.at(up_to(world_.random(), 2000),
              [this, said = is_right ? words : words + " and more"] { commit(said); });
}

void simulated_conversation::commit(const std::string& words) {
    if (ended_) return;
    say(words);
    const auto prompt = conversations::render_chatml(history_.messages());
    if (!draft_ || draft_->turn_plan().model.prompt() != prompt) {
        world_.note("a draft is dropped");
        drop_draft();
        return take_turn();
    }
    world_.note("a draft is committed");
    begin_turn(draft_->turn_plan(), true);
}

void simulated_conversation::drop_draft() {
    if (!draft_) return;
    if (!draft_->is_over()) draft_->stop();
    old_drafts_.push_back(std::move(draft_));
}

void simulated_conversation::on_draft_over() {
    if (starting_ && starting_->is_drafted) continue_from_draft(starting_);
}

void simulated_conversation::continue_from_draft(const start_ptr& start) {
    auto& used = *old_drafts_.emplace_back(std::move(draft_));
    if (used.is_complete()) {
        world_.note("a turn continues from a draft");
        start->resumed = used.take_origin();
        rest_model_ = used.model();
    }
    find_server(start);
}

}  // namespace tandem::test

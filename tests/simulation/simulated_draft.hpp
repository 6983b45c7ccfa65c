#pragma once

#include "reply/reply_start_point.hpp"
#include "simulation/simulated_reply.hpp"

#include <functional>
#include <optional>
#include <string>

namespace tandem::test {

/// A draft of a simulated conversation. Mirrors reply_draft.
class simulated_draft final : public detail::reply_listener {
 public:
    /// `plan` is the plan of the turn. When the draft ends, `on_ended` is called immediately, and
    /// `on_over` after the draft's reply has performed all actions.
    simulated_draft(simulated_world& world, std::uint64_t id, reply_plan plan,
                    simulated_server& core, slots::owner_id owner, std::function<void()> on_ended,
                    std::function<void()> on_over);

    void start() { reply_.start(); }
    void commit() { reply_.commit_draft(); }
    void stop();
    void leave_server(const detail::server_leave_reason& reason);
    void server_died(const simulated_server& which) { reply_.server_died(which); }

    const simulated_server* server() const noexcept { return &core_; }
    const reply_plan& turn_plan() const noexcept { return plan_; }
    const std::string& model() const noexcept { return model_; }
    bool is_over() const noexcept { return reply_.ended(); }
    bool is_complete() const noexcept { return rest_.has_value(); }
    /// Precondition: is_complete().
    detail::reply_origin take_origin();
    void check_end() const { reply_.check_end(); }

    void on_handed_over(const chunk&) override {}
    void on_called(std::uint64_t reply, std::vector<tool_call> calls) override;
    void on_continued(chunk_id) override {}
    void on_ended(std::uint64_t reply, const reply_result& result,
                  detail::reply_remainder rest) override;

 private:
    static reply_plan make_draft_plan(reply_plan plan);

    simulated_world& world_;
    reply_plan plan_;
    simulated_server& core_;
    std::string model_;
    std::function<void()> on_ended_;
    std::function<void()> on_over_;
    std::optional<detail::reply_remainder> rest_;
    int generated_ = 0;
    bool is_stopped_ = false;
    simulated_reply reply_;
};

}  // namespace tandem::test

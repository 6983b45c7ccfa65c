#include "bench/capacity_ramp.hpp"

namespace tandem::command {

namespace {

// A step lasts at most five times the given duration.
constexpr int max_halves = 10;

}  // namespace

capacity_ramp::capacity_ramp(boost::asio::io_context& ioc, bench_callers& callers,
                             capacity_options options,
                             std::function<void(const capacity_step&)> on_step)
    : callers_(callers), options_(options), on_step_(std::move(on_step)), step_end_(ioc) {}

awaitable<void> capacity_ramp::run() {
    while (const auto callers = stopping_ ? std::nullopt : search_.next_callers()) {
        const auto step = co_await run_step(*callers);
        if (stopping_) co_return;
        steps_.push_back(step);
        on_step_(step);
        has_failed_ = step.has_only_failures();
        if (has_failed_) co_return;
        search_.add_outcome(step.describe_exceeded(options_.limits).empty());
    }
}

awaitable<capacity_step> capacity_ramp::run_step(int callers) {
    const auto began = bench_workload::clock::now();
    callers_.resize(callers, options_.step_time);
    callers_.begin_step(began + options_.step_time / 2);
    // Each reply has only one first chunk, so a step with few callers may have to last longer until
    // there are enough of them.
    capacity_step step;
    for (int halves = 2; halves <= max_halves && !stopping_; ++halves) {
        step_end_.expires_at(began + options_.step_time / 2 * halves);
        co_await wait_for_timer(step_end_);  // stop() cancels the wait
        step = callers_.end_step();
        if (step.has_enough_first_chunks() || step.failed > 0) break;
    }
    co_return step;
}

void capacity_ramp::stop() {
    stopping_ = true;
    step_end_.cancel();
}

void capacity_ramp::report_to(capacity_report& r) const {
    r.limits = options_.limits;
    r.step_time = options_.step_time;
    r.steps = steps_;
    r.callers = search_.highest_held();
    r.over = search_.lowest_failed();
    r.was_given_up = has_failed_;
}

}  // namespace tandem::command

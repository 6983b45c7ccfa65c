#include "bench/bench_callers.hpp"

#include "run/simulated_user.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

namespace tandem::command {
namespace {

// Pause after a failed call, so that a broken server does not cause a busy loop.
constexpr auto rest_after_failure = std::chrono::milliseconds(100);

// fmod(n * golden_ratio, 1) spreads callers n = 0, 1, … evenly over an interval, however many
// callers there are.
constexpr double golden_ratio = 0.6180339887498949;

}  // namespace

void bench_callers::start(service& bots, int callers, std::function<void()> on_done) {
    bots_ = &bots;
    on_done_ = std::move(on_done);
    for (int i = 0; i < callers; ++i) add_caller({}, std::nullopt);
}

// Callers join in the first half of a step, which is not measured. Each of them breaks off its
// first turn after a different time, so that their next turns do not begin all at once. Turns then
// begin at the same rate as with callers who joined long ago, even if a turn takes a whole step.
void bench_callers::resize(int callers, duration step) {
    while (std::ssize(callers_) > callers) {
        remove_caller(*callers_.back());
        callers_.pop_back();
    }
    const auto missing = callers - static_cast<int>(std::ssize(callers_));
    for (int i = 0; i < missing; ++i) {
        const double share = std::fmod(golden_ratio * joined_, 1);
        const auto quarter = std::chrono::duration_cast<std::chrono::duration<double>>(step) / 4;
        add_caller(step / 2 * i / missing,
                   std::chrono::duration_cast<duration>(quarter * (1 + 5 * share)));
    }
}

void bench_callers::add_caller(duration begins_after, std::optional<duration> breaks_off_after) {
    const auto c = callers_.emplace_back(std::make_shared<caller>(ioc_));
    c->begins_after = begins_after;
    c->breaks_off_after = breaks_off_after;
    ++joined_;
    ++calling_;
    start_coroutine(ioc_.get_executor(), run_caller(c), [this] {
        if (--calling_ == 0) on_done_();
    });
}

void bench_callers::remove_caller(caller& c) {
    c.is_leaving = true;
    if (c.running) c.running->interrupt();
    c.pause.cancel();
}

capacity_step bench_callers::end_step() const {
    const auto now = bench_workload::clock::now();
    auto totals = *step_;
    for (const auto& c : callers_)
        if (c->running) totals.add_running(c->times, now);
    return totals.result(static_cast<int>(callers_.size()), now);
}

awaitable<void> bench_callers::run_caller(std::shared_ptr<caller> c) {
    co_await wait_until(*c, bench_workload::clock::now() + c->begins_after);
    while (!c->is_leaving) {
        const bool goes_on = co_await hold_dialogue(*c, load_.next_dialogue());
        if (!goes_on) co_return;
    }
}

// Returns false if no further turn begins.
awaitable<bool> bench_callers::hold_dialogue(caller& c, const dialogue& d) {
    std::optional<conversation> talk;
    for (int turn = 0; turn < d.replies(); ++turn) {
        const auto due = load_.take_next_start();
        if (!due) co_return false;
        const bool begins = co_await wait_until(c, *due);
        if (!begins) co_return false;
        c.times = {.due = *due};
        if (!talk) talk.emplace(begin_conversation(d));
        const bool has_spoken = co_await speak_message(c, d, turn, *talk);
        if (!has_spoken) co_return false;
        const bool has_succeeded = co_await take_turn(c, d, turn, *talk);
        if (has_succeeded) continue;
        co_return co_await wait_until(c, bench_workload::clock::now() + rest_after_failure);
    }
    co_return true;
}

// Returns false if the caller leaves.
awaitable<bool> bench_callers::wait_until(caller& c, bench_workload::clock::time_point due) {
    if (due > bench_workload::clock::now() && !c.is_leaving) {
        c.pause.expires_at(due);
        co_await wait_for_timer(c.pause);  // remove_caller() cancels the wait
    }
    co_return !c.is_leaving;
}

// A raw prompt becomes a one-message conversation without a template. If the dialogue has only
// `messages`, the last one is the text of the first turn.
conversation bench_callers::begin_conversation(const dialogue& d) const {
    auto options = settings_.conversation;
    options.raw = d.prompt.has_value();
    options.messages = d.messages;
    if (!d.prompt && d.turns.empty()) options.messages.pop_back();
    return bots_->create(std::move(options));
}

// Moves the due time to the end of the user's speech, because latencies are measured from it.
// Returns false if the caller leaves.
awaitable<bool> bench_callers::speak_message(caller& c, const dialogue& d, int turn,
                                             conversation& talk) {
    const auto said = get_turn_prompt(d, turn);
    if (!users_.is_enabled() || d.prompt || said.role != "user") co_return !c.is_leaving;
    const auto seed = settings_.client.generation.seed.value_or(0);
    auto speech = plan_user_speech(said.content, users_, seed, d.id, spoken_++);
    c.times.due += speech.length;
    co_return co_await simulate_user_speech(
        talk, std::move(speech), get_generation_options(d, settings_.client.generation),
        [this, &c](bench_workload::clock::time_point at) { return wait_until(c, at); });
}

awaitable<bool> bench_callers::take_turn(caller& c, const dialogue& d, int turn,
                                         conversation& talk) {
    auto options = get_generation_options(d, settings_.client.generation);
    talk.append(get_turn_prompt(d, turn));
    c.times.began = bench_workload::clock::now();
    const reply_name where{d.id, turn, turn};
    c.running =
        std::make_shared<paced_reply>(ioc_.get_executor(), talk.generate(std::move(options)), where,
                                      pace_, settings_.client.limits.continue_timeout, &talk);
    load_.on_stream_started();
    plan_interrupt(c, d);
    co_await speak(c);
    const auto ended = std::exchange(c.running, nullptr);
    const auto end = ended->make_end_event();  // refers to the reply's result
    report_end(c, end.result);
    co_return end.result.finish_reason != finish_reason::error;
}

void bench_callers::plan_interrupt(caller& c, const dialogue& d) {
    auto after = d.interrupt_after;
    if (const auto early = std::exchange(c.breaks_off_after, std::nullopt))
        after = after ? std::min<duration>(*after, *early) : *early;
    if (after) c.running->interrupt_after(*after);
}

awaitable<void> bench_callers::speak(caller& c) {
    auto& chunks = c.times.chunks;
    while (const auto next = co_await c.running->next_chunk()) {
        c.times.add_chunk(bench_workload::clock::now(), next->tokens,
                          speaking_time(pace_, next->speech));
        co_await c.running->speak(*next);
        if (next->id.seq < chunks.size())
            chunks[next->id.seq].continued = c.running->last_continue_time();
    }
}

void bench_callers::report_end(const caller& c, const reply_result& r) {
    const bool failed = r.finish_reason == finish_reason::error;
    totals_.add(c.times, r, c.is_leaving);
    if (step_) step_->add_ended(c.times, failed, bench_workload::clock::now());
    load_.on_stream_ended(!failed);
}

}  // namespace tandem::command

#include "bench/bench_callers.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>

namespace tandem::command {
namespace {

using boost::asio::awaitable;
using boost::asio::redirect_error;
using boost::asio::use_awaitable;

// Pause after a failed call, so that a broken server does not cause a busy loop.
constexpr auto rest_after_failure = std::chrono::milliseconds(100);

}  // namespace

void bench_callers::start(service& bots, int callers, std::function<void()> on_done) {
    on_done_ = std::move(on_done);
    calling_ = callers;
    for (int i = 0; i < callers; ++i)
        co_spawn(ioc_, call(bots), [this](std::exception_ptr e) {
            if (e) std::rethrow_exception(e);
            caller_ended();
        });
}

void bench_callers::caller_ended() {
    if (--calling_ == 0) on_done_();
}

void bench_callers::stop() {
    stopping_ = true;
    for (const auto& r : running_) r->interrupt();
    for (auto* p : pauses_) p->cancel();
}

awaitable<void> bench_callers::call(service& bots) {
    timer pause(ioc_);
    while (!stopping_) {
        const bool goes_on = co_await hold(bots, load_.next_dialogue(), pause);
        if (!goes_on) co_return;
    }
}

// Returns false if no further turn begins.
awaitable<bool> bench_callers::hold(service& bots, const dialogue& d, timer& pause) {
    std::optional<conversation> talk;
    for (int turn = 0; turn < d.replies(); ++turn) {
        const auto due = load_.take();
        if (!due) co_return false;
        const bool begins = co_await wait_until(*due, pause);
        if (!begins) co_return false;
        turn_times times{.due = *due};
        if (!talk) talk.emplace(begin(bots, d));
        const bool ended_well = co_await take_turn(d, turn, *talk, times);
        if (ended_well) continue;
        co_return co_await wait_until(bench_workload::clock::now() + rest_after_failure, pause);
    }
    co_return true;
}

// Returns false if the run was stopped.
awaitable<bool> bench_callers::wait_until(bench_workload::clock::time_point due, timer& pause) {
    if (due > bench_workload::clock::now() && !stopping_) {
        pauses_.insert(&pause);
        pause.expires_at(due);
        error_code ec;  // stop() cancels the wait
        co_await pause.async_wait(redirect_error(use_awaitable, ec));
        pauses_.erase(&pause);
    }
    co_return !stopping_;
}

// A raw prompt becomes a one-message conversation without a template. If the dialogue has only
// `messages`, the last one is the text of the first turn.
conversation bench_callers::begin(service& bots, const dialogue& d) const {
    auto options = settings_.conversation;
    options.raw = d.prompt.has_value();
    options.messages = d.messages;
    if (!d.prompt && d.turns.empty()) options.messages.pop_back();
    return bots.create(std::move(options));
}

awaitable<bool> bench_callers::take_turn(const dialogue& d, int turn, conversation& talk,
                                         turn_times& times) {
    auto options = settings_.client.generation;
    if (d.max_tokens) options.max_tokens = *d.max_tokens;
    talk.append(get_turn_prompt(d, turn));
    times.began = bench_workload::clock::now();
    const turn_name where{d.id, turn};
    const auto running =
        std::make_shared<paced_reply>(ioc_.get_executor(), talk.generate(std::move(options)), where,
                                      pace_, settings_.client.limits.continue_timeout, &talk);
    running_.insert(running);
    load_.stream_began();
    if (d.interrupt_after) running->interrupt_after(*d.interrupt_after);
    co_await speak(*running, times);
    running_.erase(running);
    const auto end = running->end();
    report_end(times, end.result, stopping_);
    co_return end.result.finish_reason != finish_reason::error;
}

awaitable<void> bench_callers::speak(paced_reply& running, turn_times& times) {
    while (const auto c = co_await running.next_chunk()) {
        times.add_chunk(bench_workload::clock::now());
        co_await running.speak(*c);
        if (c->id.seq < times.chunks.size())
            times.chunks[c->id.seq].continued = running.continued();
    }
}

void bench_callers::report_end(const turn_times& times, const reply_result& r, bool was_stopped) {
    totals_.add(times, r, was_stopped);
    load_.stream_ended(r.finish_reason != finish_reason::error);
}

}  // namespace tandem::command

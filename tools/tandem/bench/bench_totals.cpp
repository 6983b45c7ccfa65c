#include "bench/bench_totals.hpp"

#include "run/replay_totals.hpp"

#include "tandem/error.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tandem::command {
namespace {

constexpr std::size_t average_url_bytes = 64;  // for the memory estimate in the report

// Returns the chunk that the event refers to.
const turn_times::spoken_chunk_times* spoken_in(const turn_times& t, const timeline_event& e) {
    const auto seq = static_cast<std::size_t>(std::max(e.chunk, 0));
    return e.chunk >= 0 && seq < t.chunks.size() ? &t.chunks[seq] : nullptr;
}

// Estimates the start of the timeline, which is slightly after the request. The library records a
// continue after the caller sent it, so each continue gives a lower bound; returns the highest.
turn_times::time_point start_of(const turn_times& t, const reply_result& r) {
    auto start = t.began;
    for (const auto& e : r.timeline)
        if (const auto* c = e.what == timeline_event::kind::continued ? spoken_in(t, e) : nullptr)
            start = std::max(start, c->continued - std::chrono::nanoseconds(e.at_ns));
    return start;
}

}  // namespace

void turn_times::add_chunk(time_point arrived, int tokens, duration speech) {
    if (chunks.size() < max_chunks) chunks.push_back({arrived, arrived, tokens, speech});
}

std::size_t bench_totals::max_memory_bytes() noexcept {
    return sizeof(bench_totals) +
           9 * (latency_histogram::memory_bytes() - sizeof(latency_histogram)) +
           max_cuts * (sizeof(cut_record) + average_url_bytes);
}

void bench_totals::add(const turn_times& t, const reply_result& r, bool stopped) {
    count(r, stopped);
    add_waits(t, r);
    add_time_line(t, r);
    add_gaps(t);
}

void bench_totals::count(const reply_result& r, bool stopped) {
    auto& f = figures_;
    ++f.replies;
    if (r.finish_reason == finish_reason::error) {
        ++f.failed;
        const std::string code(error_name(r.error));
        if (++f.errors[code] == 1) f.messages[code] = r.diagnostics.to_string();
    } else if (r.finish_reason != finish_reason::interrupted) {
        ++f.complete;
    } else {
        ++(stopped ? f.stopped : f.interrupted);
    }
    f.chunks += r.metrics.chunks;
    f.generated += r.usage.generated;
    f.wasted += r.usage.wasted;
    f.drafted += r.usage.drafted;
    f.draft_wasted += r.usage.draft_wasted;
    f.prefilled += r.usage.prefilled;
    f.cached += r.usage.cached;
    f.evaluated += r.usage.evaluated;
    f.requests += r.metrics.requests;
    f.cuts += r.metrics.cuts;
    f.retries += r.metrics.retries;
}

// Latencies to the first token and chunk are measured from the due time, because a late start does
// not make the reply faster for the listener.
void bench_totals::add_waits(const turn_times& t, const reply_result& r) {
    late_.add(t.began - t.due);
    if (!t.chunks.empty()) first_chunk_.add(t.chunks.front().arrived - t.due);
    if (r.metrics.verified_cuts > 0) cut_to_idle_.add_ms(r.metrics.cancel_to_idle_ms);
    if (r.metrics.requests == 0) return;
    guard_wait_.add_ms(r.metrics.guard_wait_ms);
    queue_wait_.add_ms(r.metrics.slot_wait_ms - r.metrics.guard_wait_ms);
}

void bench_totals::add_time_line(const turn_times& t, const reply_result& r) {
    using kind = timeline_event::kind;
    const auto start = start_of(t, r);
    bool has_token = false;
    for (const auto& e : r.timeline) {
        const auto at = start + std::chrono::nanoseconds(e.at_ns);
        if (has_first_token(e, r) && !std::exchange(has_token, true)) first_token_.add(at - t.due);
        if (const auto* c = e.what == kind::chunk ? spoken_in(t, e) : nullptr)
            hand_over_.add(c->arrived - at);
        if (e.what == kind::cut && e.server >= 0)
            keep_cut({r.servers[static_cast<std::size_t>(e.server)], e.slot, at});
    }
}

void bench_totals::add_gaps(const turn_times& t) {
    for (std::size_t i = 1; i < t.chunks.size(); ++i)
        gap_.add(t.chunks[i].arrived - t.chunks[i - 1].continued);
}

void bench_totals::keep_cut(cut_record c) {
    if (cuts_.size() < max_cuts) return cuts_.push_back(std::move(c));
    cuts_[next_cut_] = std::move(c);
    next_cut_ = (next_cut_ + 1) % max_cuts;
}

// Slot and time identify the request of a cut, because a slot runs one request at a time.
void bench_totals::add_cut_latencies(const std::vector<observed_cut>& seen) {
    std::multimap<std::pair<std::string, int>, const observed_cut*> by_slot;
    for (const auto& s : seen) by_slot.emplace(std::pair(s.server, s.slot), &s);
    for (const auto& c : cuts_) {
        const auto [begin, end] = by_slot.equal_range({c.server, c.slot});
        const auto found = std::find_if(begin, end, [&](const auto& entry) {
            return entry.second->arrived <= c.at && c.at <= entry.second->closed;
        });
        if (found != end) cut_to_close_.add(found->second->closed - c.at);
    }
}

bench_stats bench_totals::figures() const {
    auto f = figures_;
    f.late = late_.figures();
    f.first_token = first_token_.figures();
    f.first_chunk = first_chunk_.figures();
    f.gap = gap_.figures();
    f.hand_over = hand_over_.figures();
    f.cut_to_close = cut_to_close_.figures();
    f.cut_to_idle = cut_to_idle_.figures();
    f.queue_wait = queue_wait_.figures();
    f.guard_wait = guard_wait_.figures();
    return f;
}

void capacity_totals::add_ended(const turn_times& t, bool failed, time_point now) {
    if (now < from_) return;
    if (failed) ++sums_.failed;
    add_waits(t, now);
}

void capacity_totals::add_running(const turn_times& t, time_point now) {
    add_waits(t, now);
    if (!t.chunks.empty() && t.chunks.back().continued > t.chunks.back().arrived)
        gap_.add(now - t.chunks.back().continued);
}

void capacity_totals::add_waits(const turn_times& t, time_point now) {
    if (t.chunks.empty()) first_chunk_.add(now - t.due);
    for (std::size_t i = 0; i < t.chunks.size(); ++i) {
        const auto& c = t.chunks[i];
        if (c.arrived < from_) continue;
        if (i == 0) {
            first_chunk_.add(c.arrived - t.due);
            ++sums_.first_chunks;
        } else {
            gap_.add(c.arrived - t.chunks[i - 1].continued);
        }
        sums_.tokens += c.tokens;
        sums_.speech_seconds += to_ms(c.speech) / 1000;
    }
}

capacity_step capacity_totals::result(int callers, time_point now) const {
    auto s = sums_;
    s.callers = callers;
    s.first_chunk_p95 = first_chunk_.percentile(0.95);
    s.gap_p99 = gap_.percentile(0.99);
    s.seconds = to_ms(now - from_) / 1000;
    return s;
}

}  // namespace tandem::command

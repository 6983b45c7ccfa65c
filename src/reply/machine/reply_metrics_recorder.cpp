#include "reply/machine/reply_metrics_recorder.hpp"

#include <algorithm>
#include <utility>

namespace tandem::detail {
namespace {
constexpr std::size_t max_timeline_events = 4096;
constexpr std::size_t max_listed_requests = 4096;

void add(int& sum, int count) noexcept {
    sum = std::min(sum + count, wire::max_token_sum);
}

void raise_to(double& longest_ms, duration wait) noexcept {
    longest_ms = std::max(longest_ms, to_ms(wait));
}

}  // namespace

void reply_metrics_recorder::record_event(time_point now, timeline_event::kind what, int chunk) {
    record_event_at(request_.at, now, what, chunk);
}

void reply_metrics_recorder::record_event_at(slot_location p, time_point now,
                                             timeline_event::kind what, int chunk) {
    const bool last = what == timeline_event::kind::end;
    if (timeline_.size() >= max_timeline_events - (last ? 0 : 1)) {
        ++dropped_events_;
        return;
    }
    timeline_.push_back({what, (now - start_).count(), p.slot, chunk, p.server});
}

auto reply_metrics_recorder::find_location(const chunk& c) const noexcept -> slot_location {
    const auto found = std::find(servers_.begin(), servers_.end(), c.metrics.server);
    return {found == servers_.end() ? -1 : static_cast<int>(found - servers_.begin()),
            c.metrics.slot};
}

bool reply_metrics_recorder::set_server_url(std::string_view server) {
    const auto before = server_;
    const auto found = std::find(servers_.begin(), servers_.end(), server);
    server_ = static_cast<int>(found - servers_.begin());
    if (found == servers_.end()) servers_.emplace_back(server);
    return server_ != before;
}

void reply_metrics_recorder::add_early_work(const early_work& w) {
    if (w.broken) broken_ = w.broken;
    usage_.generated += w.drafted;
    usage_.drafted += w.drafted;
    usage_.draft_wasted += w.draft_wasted;
    usage_.prefilled += w.prefilled;
    metrics_.draft_first_token_ms += w.draft_first_token_ms;
    metrics_.draft_ms += w.draft_ms;
}

void reply_metrics_recorder::record_slot_request(time_point now) {
    close_request();
    wanted_ = now;
    record_event(now, timeline_event::kind::slot_wait);
}

void reply_metrics_recorder::record_guard_wait(duration wait) noexcept {
    ++metrics_.guard_waits;
    metrics_.guard_wait_ms += to_ms(wait);
}

void reply_metrics_recorder::record_request_sent(time_point now, int slot, bool reused,
                                                 duration guard_wait) {
    request_.at = {server_, slot};
    request_.reused = reused;
    request_.guard_wait = guard_wait;
    request_.sent = request_.token_awaited = now;
    end_slot_wait(now);
    ++metrics_.requests;
    request_.is_listed = requests_.size() < max_listed_requests;
    if (request_.is_listed)
        requests_.push_back({.server = server_, .slot = slot, .sent_ns = (now - start_).count()});
    if (guard_wait > duration{}) record_guard_wait(guard_wait);
    record_event(now, timeline_event::kind::request);
    if (dropped_events_ == 0) timeline_.back().guard_wait_ms = to_ms(guard_wait);
}

void reply_metrics_recorder::end_slot_wait(time_point now) {
    if (!wanted_) return;
    metrics_.slot_wait_ms += to_ms(now - *std::exchange(wanted_, {}));
    if (metrics_.requests == 0) metrics_.first_slot_wait_ms = metrics_.slot_wait_ms;
}

void reply_metrics_recorder::on_connected(duration after) noexcept {
    raise_to(metrics_.longest_connect_ms, after);
}

void reply_metrics_recorder::record_token_wait(time_point now) noexcept {
    raise_to(request_.tokens > 0 ? metrics_.longest_token_gap_ms : metrics_.longest_first_token_ms,
             now - request_.token_awaited);
}

void reply_metrics_recorder::count_token(time_point now) {
    record_token_wait(now);
    const auto gap = now - std::exchange(request_.token_awaited, now);
    if (request_.tokens++ > 0) return request_.gaps.add(gap, request_.generated);
    if (request_.is_listed) requests_.back().first_token_ns = (now - start_).count();
    record_event(now, timeline_event::kind::first_token);
}

void reply_metrics_recorder::on_event_read(time_point now, const wire::token_event& event) {
    if (wire::is_generation_event(event) && std::exchange(is_lost_, false)) ++metrics_.went_on;
    if (event.what == wire::token_event::kind::token) count_token(now);
    if (event.has_timings) {
        request_.cached = event.timings.cached;
        request_.evaluated = event.timings.evaluated;
    }
    request_.predicted = std::max(request_.predicted, event.predicted);
}

void reply_metrics_recorder::record_request_end(time_point now) noexcept {
    record_token_wait(now);
    if (request_.is_listed) requests_.back().ended_ns = (now - start_).count();
}

void reply_metrics_recorder::record_cut(time_point now) {
    ++metrics_.cuts;
    record_event(now, timeline_event::kind::cut);
}

void reply_metrics_recorder::fill_chunk_figures(chunk& c) {
    const auto [server, slot] = request_.at;
    if (server >= 0) c.metrics.server = servers_[static_cast<std::size_t>(server)];
    c.metrics.request = metrics_.requests - 1;
    c.metrics.slot = slot;
    c.metrics.slot_reused = request_.reused;
    // Only the first chunk of a request reports the request's counts, so that sums over chunks are
    // correct.
    if (!std::exchange(request_.reported, true)) {
        c.metrics.cached = request_.cached;
        c.metrics.evaluated = request_.evaluated;
        c.metrics.guard_wait_ms = to_ms(request_.guard_wait);
    }
}

void reply_metrics_recorder::record_hand_over(time_point now, chunk& c) {
    if (unspoken_.empty()) {
        if (continued_at_) c.metrics.gap_ms = to_ms(now - *continued_at_);
        speech_began_at_ = now;
    }
    metrics_.longest_gap_ms = std::max(metrics_.longest_gap_ms, c.metrics.gap_ms);
    usage_.handed_over += c.tokens;
    if (metrics_.chunks++ == 0) metrics_.first_chunk_ms = to_ms(now - start_);
    unspoken_.push_back({c.id.seq, c.tokens, find_location(c)});
    record_event_at(unspoken_.back().at, now, timeline_event::kind::chunk,
                    static_cast<int>(c.id.seq));
}

void reply_metrics_recorder::end_continue_wait(time_point now) noexcept {
    if (!speech_began_at_) return;
    raise_to(metrics_.longest_continue_ms, now - *std::exchange(speech_began_at_, {}));
}

void reply_metrics_recorder::on_continued(time_point now) {
    const auto spoken = unspoken_.front();
    unspoken_.pop_front();
    end_continue_wait(now);
    continued_at_ = now;
    if (!unspoken_.empty()) speech_began_at_ = now;
    usage_.heard += spoken.tokens;
    record_event_at(spoken.at, now, timeline_event::kind::continued, static_cast<int>(spoken.seq));
}

void reply_metrics_recorder::record_warming_request(time_point now, int slot) {
    ++metrics_.warmings;
    record_event_at({server_, slot}, now, timeline_event::kind::warming);
}

void reply_metrics_recorder::record_warming_end(time_point now, int slot,
                                                const wire::token_event& last) {
    usage_.warmed += last.timings.evaluated;
    record_event_at({server_, slot}, now, timeline_event::kind::warmed);
}

void reply_metrics_recorder::on_slot_idle(duration since_cut) {
    ++metrics_.verified_cuts;
    metrics_.cancel_to_idle_ms = std::max(metrics_.cancel_to_idle_ms, to_ms(since_cut));
}

void reply_metrics_recorder::record_failover(time_point now) {
    ++metrics_.retries;
    is_lost_ = true;
    record_event(now, timeline_event::kind::lost);
}

// Adds the counts of the last request to the sums. Its slot and reuse stay as they are, for the
// result.
void reply_metrics_recorder::close_request() {
    if (broken_ && metrics_.requests == 1) broken_->at = request_.cached;
    if (std::exchange(request_.is_listed, false)) {
        auto& figures = requests_.back();
        figures.cached = request_.cached;
        figures.evaluated = request_.evaluated;
        figures.generated = request_.predicted;
    }
    add(usage_.cached, std::exchange(request_.cached, 0));
    add(usage_.evaluated, std::exchange(request_.evaluated, 0));
    add(usage_.generated, std::exchange(request_.predicted, 0));
    request_.guard_wait = {};
    request_.tokens = 0;
    request_.generated = {};
    request_.gaps = {};
    request_.reported = false;
}

void reply_metrics_recorder::fill_result(time_point now, reply_result& result, int prompt_tokens) {
    close_request();
    // The waits may be unfinished, because an interrupt or a time limit ended the reply.
    end_slot_wait(now);
    end_continue_wait(now);
    record_event(now, timeline_event::kind::end);
    usage_.prompt = prompt_tokens;
    usage_.wasted = std::max(0, usage_.generated - usage_.handed_over);
    metrics_.slot = request_.at.slot;
    metrics_.slot_reused = request_.reused;
    metrics_.total_ms = to_ms(now - start_);
    result.usage = usage_;
    result.cache_break = std::move(broken_);
    result.metrics = metrics_;
    result.servers = std::move(servers_);
    result.requests = std::move(requests_);
    result.timeline = std::move(timeline_);
    result.dropped_events = dropped_events_;
}

}  // namespace tandem::detail

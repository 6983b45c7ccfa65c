#include "reply/machine/reply_tally.hpp"

#include <algorithm>
#include <utility>

namespace tandem::detail {
namespace {
constexpr std::size_t max_timeline_events = 4096;

void add(int& sum, int count) noexcept {
    sum = std::min(sum + count, wire::max_tokens_counted);
}

void raise_to(double& longest_ms, duration wait) noexcept {
    longest_ms = std::max(longest_ms, to_ms(wait));
}

}  // namespace

void reply_tally::note(time_point now, timeline_event::kind what, int chunk) {
    note_at(request_.at, now, what, chunk);
}

void reply_tally::note_at(place p, time_point now, timeline_event::kind what, int chunk) {
    const bool last = what == timeline_event::kind::end;
    if (timeline_.size() >= max_timeline_events - (last ? 0 : 1)) {
        ++dropped_events_;
        return;
    }
    timeline_.push_back({what, (now - start_).count(), p.slot, chunk, p.server});
}

auto reply_tally::place_of(const chunk& c) const noexcept -> place {
    const auto found = std::find(servers_.begin(), servers_.end(), c.server);
    return {found == servers_.end() ? -1 : static_cast<int>(found - servers_.begin()), c.slot};
}

bool reply_tally::moved_to(std::string_view server) {
    const auto before = server_;
    const auto found = std::find(servers_.begin(), servers_.end(), server);
    server_ = static_cast<int>(found - servers_.begin());
    if (found == servers_.end()) servers_.emplace_back(server);
    return server_ != before;
}

void reply_tally::slot_wanted(time_point now) {
    close_request();
    wanted_ = now;
    note(now, timeline_event::kind::slot_wait);
}

void reply_tally::guard_waited(duration wait) noexcept {
    ++metrics_.guard_waits;
    metrics_.guard_wait_ms += to_ms(wait);
}

void reply_tally::request_sent(time_point now, int slot, bool reused, duration guard_wait) {
    request_.at = {server_, slot};
    request_.reused = reused;
    request_.guard_wait = guard_wait;
    request_.sent = request_.token_awaited = now;
    slot_wait_over(now);
    ++metrics_.requests;
    if (guard_wait > duration{}) guard_waited(guard_wait);
    note(now, timeline_event::kind::request);
    if (dropped_events_ == 0) timeline_.back().guard_wait_ms = to_ms(guard_wait);
}

void reply_tally::slot_wait_over(time_point now) {
    if (!wanted_) return;
    metrics_.slot_wait_ms += to_ms(now - *std::exchange(wanted_, {}));
    if (metrics_.requests == 0) metrics_.first_slot_wait_ms = metrics_.slot_wait_ms;
}

void reply_tally::connected(duration after) noexcept {
    raise_to(metrics_.longest_connect_ms, after);
}

void reply_tally::token_wait_over(time_point now) noexcept {
    raise_to(
        request_.first_token_seen ? metrics_.longest_token_gap_ms : metrics_.longest_first_token_ms,
        now - std::exchange(request_.token_awaited, now));
}

void reply_tally::event_read(time_point now, const wire::token_event& event) {
    const bool token = event.what == wire::token_event::kind::token;
    if (wire::is_of_generation(event) && std::exchange(is_lost_, false)) ++metrics_.went_on;
    if (token) token_wait_over(now);
    if (token && !std::exchange(request_.first_token_seen, true))
        note(now, timeline_event::kind::first_token);
    if (event.has_timings) {
        request_.cached = event.timings.cached;
        request_.evaluated = event.timings.evaluated;
    }
    request_.predicted = std::max(request_.predicted, event.predicted);
}

void reply_tally::cut(time_point now) {
    ++metrics_.cuts;
    note(now, timeline_event::kind::cut);
}

void reply_tally::completed(chunk& c) {
    const auto [server, slot] = request_.at;
    if (server >= 0) c.server = servers_[static_cast<std::size_t>(server)];
    c.request = metrics_.requests - 1;
    c.slot = slot;
    c.slot_reused = request_.reused;
    // Only the first chunk of a request carries its figures, so that sums over chunks are true.
    if (!std::exchange(request_.reported, true)) {
        c.cached = request_.cached;
        c.evaluated = request_.evaluated;
        c.guard_wait_ms = to_ms(request_.guard_wait);
    }
}

void reply_tally::handed_over(time_point now, chunk& c) {
    if (continued_at_) c.gap_ms = to_ms(now - *continued_at_);
    metrics_.longest_gap_ms = std::max(metrics_.longest_gap_ms, c.gap_ms);
    usage_.handed_over += c.tokens;
    if (metrics_.chunks++ == 0) metrics_.first_chunk_ms = to_ms(now - start_);
    handed_over_at_ = now;
    last_ = {.id = c.id, .tokens = c.tokens, .slot = c.slot};
    last_place_ = place_of(c);
    note_at(last_place_, now, timeline_event::kind::chunk, static_cast<int>(c.id.seq));
}

void reply_tally::continue_wait_over(time_point now) noexcept {
    if (!handed_over_at_) return;
    raise_to(metrics_.longest_continue_ms, now - *std::exchange(handed_over_at_, {}));
}

void reply_tally::continued(time_point now) {
    continue_wait_over(now);
    continued_at_ = now;
    usage_.heard += last_.tokens;
    note_at(last_place_, now, timeline_event::kind::continued, static_cast<int>(last_.id.seq));
}

void reply_tally::warming_sent(time_point now, int slot) {
    ++metrics_.warmings;
    note_at({server_, slot}, now, timeline_event::kind::warming);
}

void reply_tally::warmed(time_point now, int slot, const wire::token_event& last) {
    usage_.warmed += last.timings.evaluated;
    note_at({server_, slot}, now, timeline_event::kind::warmed);
}

void reply_tally::slot_idle(duration since_cut) {
    ++metrics_.verified_cuts;
    metrics_.cancel_to_idle_ms = std::max(metrics_.cancel_to_idle_ms, to_ms(since_cut));
}

void reply_tally::lost(time_point now) {
    ++metrics_.retries;
    is_lost_ = true;
    note(now, timeline_event::kind::lost);
}

// Slot, reuse and timeline continue from the last request; its counts move to the sums.
void reply_tally::close_request() {
    add(usage_.cached, std::exchange(request_.cached, 0));
    add(usage_.evaluated, std::exchange(request_.evaluated, 0));
    add(usage_.generated, std::exchange(request_.predicted, 0));
    request_.guard_wait = {};
    request_.first_token_seen = false;
    request_.reported = false;
}

void reply_tally::ended(time_point now, reply_result& result, int prompt_tokens) {
    close_request();
    // A wait that an interrupt or its limit ended was one.
    slot_wait_over(now);
    continue_wait_over(now);
    note(now, timeline_event::kind::end);
    usage_.prompt = prompt_tokens;
    usage_.wasted = std::max(0, usage_.generated - usage_.handed_over);
    metrics_.slot = request_.at.slot;
    metrics_.slot_reused = request_.reused;
    metrics_.total_ms = to_ms(now - start_);
    result.usage = usage_;
    result.metrics = metrics_;
    result.servers = std::move(servers_);
    result.timeline = std::move(timeline_);
    result.dropped_events = dropped_events_;
}

}  // namespace tandem::detail

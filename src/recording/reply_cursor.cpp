#include "recording/reply_cursor.hpp"

#include "base/format_count.hpp"
#include "wire/stream/completion_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>

namespace tandem::detail {
namespace {

using kind = answer_step::kind;

// An extra wait, so that the client has time to cut where it did in the recording.
constexpr auto cut_margin = std::chrono::milliseconds(50);
// A longer wait at the end of the recorded text, where the client may interrupt the reply later
// than it did in the recording.
constexpr auto end_margin = std::chrono::seconds(1);

// A saturating sum, because a hostile recording may contain arbitrary counts.
template <class... Counts>
int sum(Counts... counts) {
    return static_cast<int>(
        std::clamp<std::int64_t>((std::int64_t{counts} + ...), 0, std::numeric_limits<int>::max()));
}

bool is_token(const wire::token_event& e) {
    return e.what == wire::token_event::kind::token;
}

bool is_final(const wire::token_event& e) {
    return e.what == wire::token_event::kind::final;
}

// Whether the event's text is after `position`, or empty and at `position`.
bool is_to_come(const recorded_event& e, std::size_t position) {
    return e.end > position || (e.begin == e.end && e.end == position);
}

}  // namespace

reply_cursor::reply_cursor(std::shared_ptr<recorded_reply> reply, const playback_request& request,
                           duration peek_hold)
    : reply_(std::move(reply)),
      request_(request),
      peek_hold_(peek_hold),
      index_(reply_->find_segment(request.text_bytes)),
      position_(request.text_bytes) {
    if (index_ == reply_->segments_.size()) return;
    auto& s = segment();
    // Later requests would otherwise find a segment without text again and again.
    s.is_used = !s.has_text();
    at_ = s.exchange->sent_at;
    is_exact_ = s.from == position_ && s.request.id_slot == request_.id_slot;
}

std::optional<answer_step> reply_cursor::next_step() {
    switch (phase_) {
        case phase::status:
            return begin_answer();
        case phase::body:
            return next_piece();
        case phase::events:
            return next_event();
        case phase::over:
            break;
    }
    return std::nullopt;
}

answer_step reply_cursor::make_step_at(duration when) {
    const auto extra_delay = std::exchange(extra_delay_, {});
    const auto after = extra_delay + when - std::exchange(at_, when);
    return {.delay = std::max(after, duration{}),
            .is_timing_relevant = given_ > 0 || extra_delay > duration{}};
}

// The next piece of an answer that is not a stream.
std::optional<answer_step> reply_cursor::next_piece() {
    const auto& pieces = segment().exchange->pieces;
    if (piece_ == pieces.size()) return end_segment();
    auto step = make_step_at(pieces[piece_].at);
    step.bytes = pieces[piece_++].bytes;
    return step;
}

std::optional<answer_step> reply_cursor::begin_answer() {
    phase_ = phase::events;
    if (index_ == reply_->segments_.size())
        return answer_step{.what = kind::status, .http_status = wire::http_ok};
    const auto& x = *segment().exchange;
    if (!x.http_status && !x.was_cut) return end_segment();
    if (!x.http_status) return begin_without_answer();
    if (!segment().is_stream()) phase_ = phase::body;
    auto step = make_step_at(x.status_at);
    step.what = kind::status;
    step.http_status = *x.http_status;
    return step;
}

// The client timed out in the recording. It waits just as long now, and may then keep reading.
answer_step reply_cursor::begin_without_answer() {
    auto step = make_step_at(segment().exchange->ended_at);
    step.what = kind::status;
    step.http_status = wire::http_ok;
    step.delay += cut_margin;
    step.is_timing_relevant = true;
    return step;
}

std::optional<answer_step> reply_cursor::next_event() {
    while (index_ < reply_->segments_.size()) {
        if (const auto* e = find_event()) return play(*e);
        if (ends_here()) return leave_segment();
        go_to_next_segment();
    }
    return refuse();
}

// Null if the segment has no further event.
const recorded_event* reply_cursor::find_event() {
    const auto& s = segment();
    while (event_ < s.events.size()) {
        const auto& e = s.events[event_];
        if (e.end > s.to && e.begin >= s.to) break;
        if (is_dropped(e)) {
            event_ = s.events.size();
            break;
        }
        if (is_to_come(e, position_)) return &e;
        ++event_;
        skipped_ = e.event.predicted;
        has_skipped_ = true;
    }
    return nullptr;
}

// Delivers together what arrived together, so that the client sees the end of a reply in the same
// step as a chunk directly before this end.
std::optional<answer_step> reply_cursor::play(const recorded_event& first) {
    if (exceeds_token_limit(first)) return end_at_limit();
    if (was_recorded_limit(first)) return refuse();
    // The first token after a skip comes as soon as the first token of the segment did.
    if (std::exchange(has_skipped_, false)) at_ += first.at - segment().events.front().at;
    auto step = make_step_at(first.at);
    step.bytes = encode_bytes(first);
    const auto& events = segment().events;
    for (++event_; event_ < events.size() && phase_ == phase::events; ++event_) {
        const auto& e = events[event_];
        if (e.at != first.at || e.end > segment().to || is_dropped(e) || exceeds_token_limit(e) ||
            was_recorded_limit(e))
            break;
        step.bytes += encode_bytes(e);
    }
    return step;
}

// Whether the event holds the first bytes of a character that the cut split: the next request
// continued from before the character, and generated it again.
bool reply_cursor::is_dropped(const recorded_event& e) const {
    const auto& s = segment();
    return is_token(e.event) && e.begin == e.end && e.end == s.to && s.exchange->was_cut &&
           reply_->find_next_segment(index_, s.to) < reply_->segments_.size();
}

bool reply_cursor::exceeds_token_limit(const recorded_event& e) const {
    return is_token(e.event) && request_.n_predict >= 0 && given_ >= request_.n_predict;
}

// Whether the event ends a recorded request at its token limit, while the present request allows
// more tokens.
bool reply_cursor::was_recorded_limit(const recorded_event& e) const {
    const auto then = segment().request.n_predict;
    return is_final(e.event) && e.event.stop == wire::stop_type::limit && then >= 0 &&
           e.event.predicted >= then && (request_.n_predict < 0 || given_ < request_.n_predict);
}

std::string reply_cursor::encode_bytes(const recorded_event& e) {
    auto said = renumber_tokens(e);
    // Keeps the server's own bytes if they still have the same meaning.
    auto bytes = is_exact_ && e.end <= segment().to ? e.raw : wire::encode_stream_event(said);
    position_ = std::min(e.end, segment().to);
    if (is_token(e.event)) given_ = said.predicted;
    if (is_final(e.event)) phase_ = phase::over;
    last_ = std::move(said);
    return bytes;
}

wire::token_event reply_cursor::renumber_tokens(const recorded_event& e) {
    auto said = e.event;
    const auto last = std::min(e.end, segment().to);
    const auto first = std::clamp(position_, e.begin, last);
    said.content = said.content.substr(first - e.begin, last - first);
    said.predicted = sum(given_before_, e.event.predicted, -skipped_);
    if (!prompt_tokens_) prompt_tokens_ = sum(e.event.prompt_tokens, skipped_);
    said.prompt_tokens = *prompt_tokens_;
    said.id_slot = request_.id_slot;
    return said;
}

// The recorded end of a request applies only to a request that has read everything, or that
// receives exactly the recorded answer.
bool reply_cursor::ends_here() const {
    const auto& s = segment();
    return (!s.exchange->was_cut || s.is_faulty) && (is_exact_ || event_ == s.events.size());
}

std::optional<answer_step> reply_cursor::leave_segment() {
    const auto& s = segment();
    const bool has_tail = !s.tail.empty() && (is_exact_ || s.is_faulty);
    if (has_tail && !std::exchange(has_given_tail_, true)) return emit_tail();
    return end_segment();
}

answer_step reply_cursor::emit_tail() {
    auto& s = segment();
    s.is_used = s.is_faulty;
    auto step = make_step_at(s.exchange->pieces.back().at);
    step.bytes = s.tail;
    return step;
}

// The present request was not cut where the segment ends, so it continues in the next segment.
void reply_cursor::go_to_next_segment() {
    const auto& s = segment();
    const auto silence = event_ == s.events.size() ? s.exchange->ended_at - at_ : duration{};
    index_ = reply_->find_next_segment(index_, position_);
    const bool is_last = index_ == reply_->segments_.size();
    if (is_last) extra_delay_ += silence + end_margin;
    if (!is_last && silence >= peek_hold_) extra_delay_ += silence + cut_margin;
    given_before_ = given_;
    skipped_ = 0;
    has_skipped_ = false;
    event_ = 0;
    is_exact_ = false;
    if (!is_last) at_ = segment().events.front().at;
}

answer_step reply_cursor::end_segment() {
    auto& s = segment();
    s.is_used = true;
    phase_ = phase::over;
    auto step = make_step_at(s.exchange->ended_at);
    step.what = kind::end;
    step.ec = s.exchange->ec;
    step.message = s.exchange->message;
    return step;
}

answer_step reply_cursor::refuse() {
    phase_ = phase::over;
    return {.delay = std::exchange(extra_delay_, {}),
            .is_timing_relevant = true,
            .bytes = wire::encode_stream_refusal(
                fmt::format("the recording has only {} of this reply; it was interrupted there, "
                            "requested fewer tokens, or the recording ends there",
                            format_count(static_cast<std::int64_t>(position_), "byte")))};
}

answer_step reply_cursor::end_at_limit() {
    phase_ = phase::over;
    auto said = last_;
    said.what = wire::token_event::kind::final;
    said.content.clear();
    said.tokens.clear();
    said.stop = wire::stop_type::limit;
    said.id_slot = request_.id_slot;
    return {.bytes = wire::encode_stream_event(said)};
}

}  // namespace tandem::detail

#include "report/report_bars.hpp"

#include "base/format_count.hpp"
#include "text/url_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace tandem::command {
namespace {

using event = timeline_event;
using event_kind = timeline_event::kind;
using bar_kind = report_bar::kind;
using mark_kind = report_mark::kind;

// Shorter waits are not shown: the slot was free immediately.
constexpr double min_drawn_ms = 0.5;

constexpr std::array<std::string_view, 11> bar_names{
    "slot-wait", "guard-wait", "prompt",  "generation", "peek",    "warming",
    "text",      "speech",     "silence", "dropped",    "resident"};
constexpr std::array<std::string_view, 5> mark_names{"cut", "lost", "retry", "interrupt", "end"};

double ms_of(const event& e) {
    return static_cast<double>(e.at_ns) / 1e6;
}

bool ends_request(event_kind k) {
    return k == event_kind::cut || k == event_kind::lost || k == event_kind::request ||
           k == event_kind::slot_wait || k == event_kind::end;
}

struct place {
    int server = -1;
    int slot = -1;
    auto operator<=>(const place&) const = default;
};

place place_of(const event& e) {
    return {e.server, e.slot};
}

/// Converts the events of one reply into bars.
class bar_maker {
 public:
    explicit bar_maker(const report_reply& r)
        : reply_(r), facts_(r.result), events_(kept_events(r.result)) {
        end_ms_ = facts_.metrics.total_ms;
        for (const auto& e : facts_.timeline) end_ms_ = std::max(end_ms_, ms_of(e));
        known_ms_ = has_dropped() && !events_.empty() ? ms_of(events_.back()) : end_ms_;
        result_.duration_ms = end_ms_;
        make_lanes();
    }

    report_bars make() {
        for (std::size_t i = 0; i < events_.size(); ++i) add(i);
        add_voice();
        if (has_dropped()) add_dropped();
        if (facts_.finish_reason == finish_reason::interrupted)
            add_mark(mark_kind::interrupt, voice_lane(), end_ms_, "interrupted");
        add_mark(mark_kind::end, voice_lane(), end_ms_,
                 fmt::format("the reply ends: {}", to_string(facts_.finish_reason)));
        return std::move(result_);
    }

 private:
    // If events were dropped, also omits the end event after them, because it would seem to end
    // intervals whose end was dropped.
    static std::span<const event> kept_events(const reply_result& r) {
        const std::span all(r.timeline);
        return r.dropped_events > 0 && !all.empty() ? all.first(all.size() - 1) : all;
    }
    bool has_dropped() const { return facts_.dropped_events > 0; }

    void make_lanes() {
        std::set<place> found;
        for (const auto& e : events_)
            if (e.slot >= 0) found.insert(place_of(e));
        places_.assign(found.begin(), found.end());
        for (const auto& p : places_) {
            result_.lanes.push_back(name_of(p));
            result_.slots.push_back({server_of(p), p.slot});
        }
        if (places_.empty()) result_.lanes.emplace_back("slot");
        result_.lanes.emplace_back("chunks");
        result_.lanes.emplace_back("voice");
    }
    std::string server_of(place p) const {
        const auto i = static_cast<std::size_t>(p.server);
        return p.server < 0 ? std::string() : without_scheme(facts_.servers.at(i));
    }
    std::string name_of(place p) const {
        const auto server = facts_.servers.size() < 2 ? std::string() : server_of(p);
        return fmt::format("slot {}{}{}", p.slot, server.empty() ? "" : " at ", server);
    }
    int lane_of(const event& e) const {
        const auto found = std::ranges::find(places_, place_of(e));
        return found == places_.end() ? 0 : static_cast<int>(found - places_.begin());
    }
    int voice_lane() const { return static_cast<int>(result_.lanes.size()) - 1; }
    int text_lane() const { return voice_lane() - 1; }

    // Adds a bar and appends its times to `words`.
    void add_bar(bar_kind what, int lane, double from, double to, std::string words,
                 std::string label = {}) {
        to = std::max(from, to);
        words += fmt::format("\n{:.1f} ms, from {:.1f} to {:.1f} ms", to - from, from, to);
        result_.bars.push_back({what, lane, from, to, std::move(words), std::move(label)});
    }
    void add_mark(mark_kind what, int lane, double at, std::string words) {
        result_.marks.push_back({what, lane, at, fmt::format("{}\nat {:.1f} ms", words, at)});
    }

    // Returns the first event after index `i` that satisfies `is_it`.
    template <class Is>
    const event* after(std::size_t i, Is is_it) const {
        const auto found = std::find_if(events_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                        events_.end(), is_it);
        return found == events_.end() ? nullptr : &*found;
    }
    double time_of(const event* e) const { return e ? ms_of(*e) : known_ms_; }

    void add(std::size_t i) {
        const auto& e = events_[i];
        switch (e.what) {
            case event_kind::slot_wait:
                return add_wait(i);
            case event_kind::request:
                return add_request(i);
            case event_kind::boundary:
                return add_peek(i);
            case event_kind::warming:
                return add_warming(i);
            case event_kind::cut:
                return add_mark(mark_kind::cut, lane_of(e), ms_of(e), "the connection is closed");
            case event_kind::lost:
                is_lost_ = true;
                return add_mark(mark_kind::lost, lane_of(e), ms_of(e), "the server failed");
            default:
                return;
        }
    }

    // --- slots

    void add_wait(std::size_t i) {
        const auto* next = after(i, [](const event& e) {
            return e.what == event_kind::request || e.what == event_kind::slot_wait ||
                   e.what == event_kind::end;
        });
        const auto from = ms_of(events_[i]), to = time_of(next);
        const bool is_sent = next && next->what == event_kind::request;
        const int lane = lane_of(is_sent ? *next : events_[i]);
        const auto guard = is_sent ? std::min(next->guard_wait_ms, to - from) : 0.0;
        const auto split = to - guard;
        if (split - from >= min_drawn_ms)
            add_bar(bar_kind::slot_wait, lane, from, split, "waits for a free slot");
        if (guard > 0)
            add_bar(bar_kind::guard_wait, lane, split, to, "waits for the slot's reuse guard");
    }

    std::size_t index_of(const event& e) const {
        return static_cast<std::size_t>(&e - events_.data());
    }
    const chunk* chunk_of(const event& e) const {
        const auto found = std::ranges::find(reply_.chunks, static_cast<std::uint32_t>(e.chunk),
                                             [](const chunk& c) { return c.id.seq; });
        return found == reply_.chunks.end() ? nullptr : &*found;
    }

    void add_request(std::size_t i) {
        const auto& e = events_[i];
        const auto* over = after(i, [](const event& x) { return ends_request(x.what); });
        const auto end = over ? index_of(*over) : events_.size();
        const auto* first = find_between(i, end, event_kind::first_token);
        const int lane = lane_of(e);
        if (is_lost_) add_mark(mark_kind::retry, lane, ms_of(e), "continues after the failure");
        is_lost_ = false;
        const auto until = first ? ms_of(*first) : time_of(over);
        add_bar(bar_kind::prompt, lane, ms_of(e), until, prompt_words(requests_++));
        if (first) add_generation(index_of(*first), end, lane);
    }
    // Searches for the request's first chunk, the only one with counts of cached and evaluated
    // tokens.
    std::string prompt_words(int request) const {
        const auto c = std::ranges::find_if(reply_.chunks, [&](const chunk& made) {
            return made.metrics.request == request &&
                   made.metrics.cached + made.metrics.evaluated > 0;
        });
        const auto tokens =
            c == reply_.chunks.end()
                ? std::string()
                : fmt::format(": {} cached, {} evaluated", format_count(c->metrics.cached, "token"),
                              c->metrics.evaluated);
        return "request until its first token" + tokens;
    }
    const event* find_between(std::size_t from, std::size_t to, event_kind k) const {
        const auto* found = after(from, [&](const event& e) { return e.what == k; });
        return found && index_of(*found) < to ? found : nullptr;
    }

    void add_generation(std::size_t first, std::size_t end, int lane) {
        const bool is_closed = end < events_.size() && (events_[end].what == event_kind::cut ||
                                                        events_[end].what == event_kind::lost);
        const auto to = is_closed ? ms_of(events_[end]) : last_sign(first, end);
        add_bar(bar_kind::generation, lane, ms_of(events_[first]), to,
                is_closed ? "generates" : "generates, at least this long");
    }
    // No event records that the server ended a request. Returns a lower bound of its end: the time
    // of its last boundary or chunk.
    double last_sign(std::size_t first, std::size_t end) const {
        auto last = first;
        bool is_continued = false;
        for (auto i = first + 1; i < end; ++i) {
            const auto k = events_[i].what;
            if (k == event_kind::continued) is_continued = true;
            if (k == event_kind::boundary || (k == event_kind::chunk && !is_continued)) last = i;
            if (k == event_kind::boundary) is_continued = false;
        }
        return ms_of(events_[last]);
    }

    void add_peek(std::size_t i) {
        const auto* next = after(i, [](const event& e) { return e.what != event_kind::warmed; });
        const bool is_held =
            next && (next->what == event_kind::cut || next->what == event_kind::chunk);
        const auto from = ms_of(events_[i]);
        add_bar(bar_kind::peek, lane_of(events_[i]), from, is_held ? ms_of(*next) : from,
                "a chunk could end here: the next token decides");
    }

    void add_warming(std::size_t i) {
        const auto at = place_of(events_[i]);
        const auto* over = after(i, [&](const event& e) {
            return (e.what == event_kind::warmed || e.what == event_kind::request ||
                    e.what == event_kind::warming) &&
                   place_of(e) == at;
        });
        add_bar(bar_kind::warming, lane_of(events_[i]), ms_of(events_[i]), time_of(over),
                "is warmed with the text so far");
    }

    // --- chunks and the voice

    void add_voice() {
        double silent_since = 0;
        for (std::size_t i = 0; i < events_.size(); ++i) {
            const auto& e = events_[i];
            if (e.what != event_kind::chunk) continue;
            const auto at = ms_of(e);
            if (at - silent_since >= min_drawn_ms)
                add_bar(bar_kind::silence, voice_lane(), silent_since, at,
                        silent_since > 0 ? "gap before the chunk" : "until the first chunk");
            silent_since = add_speech(i);
            add_text(i);
        }
        if (!has_dropped()) add_last_silence(silent_since);
    }
    // Draws nothing after a complete reply, because the listener does not wait for another chunk.
    void add_last_silence(double since) {
        const bool has_failed = facts_.finish_reason == finish_reason::error;
        if (!has_failed && facts_.finish_reason != finish_reason::interrupted) return;
        if (end_ms_ - since < min_drawn_ms) return;
        add_bar(bar_kind::silence, voice_lane(), since, end_ms_,
                fmt::format("no {}chunk until the {}", since > 0 ? "further " : "",
                            has_failed ? "failure" : "interrupt"));
    }
    // Returns the time at which the chunk's speech ended.
    double add_speech(std::size_t i) {
        const auto& e = events_[i];
        const auto* over = after(i, [&](const event& x) {
            return x.what == event_kind::continued && x.chunk == e.chunk;
        });
        add_bar(bar_kind::speech, voice_lane(), ms_of(e), time_of(over),
                fmt::format("chunk {} is spoken{}", e.chunk,
                            over || has_dropped() ? "" : ", and was not continued"));
        return time_of(over);
    }
    void add_text(std::size_t i) {
        const auto& e = events_[i];
        const auto* next = after(i, [](const event& x) { return x.what == event_kind::chunk; });
        const auto* c = chunk_of(e);
        const auto text = c ? c->text : std::string();
        const auto words = fmt::format("chunk {}, {}, ends at: {}\n{}", e.chunk,
                                       format_count(c ? c->tokens : 0, "token"),
                                       c ? to_string(c->boundary) : "", text);
        add_bar(bar_kind::text, text_lane(), ms_of(e), time_of(next), words,
                fmt::format("{} {}", e.chunk, text));
    }
    void add_dropped() {
        const auto words =
            fmt::format("not recorded: {} after the first {}",
                        format_count(facts_.dropped_events, "event"), events_.size());
        add_bar(bar_kind::dropped, text_lane(), known_ms_, end_ms_, words, words);
        add_bar(bar_kind::dropped, voice_lane(), known_ms_, end_ms_, words);
    }

    const report_reply& reply_;
    const reply_result& facts_;
    std::span<const event> events_;
    std::vector<place> places_;
    report_bars result_;
    double end_ms_ = 0;
    double known_ms_ = 0;  // events after this time were dropped
    int requests_ = 0;
    bool is_lost_ = false;
};

}  // namespace

std::string_view to_string(report_bar::kind k) noexcept {
    return bar_names.at(static_cast<std::size_t>(k));
}

std::string_view to_string(report_mark::kind k) noexcept {
    return mark_names.at(static_cast<std::size_t>(k));
}

std::vector<std::string> name_lanes(const std::set<lane_slot>& slots) {
    std::set<std::string_view> servers;
    for (const auto& s : slots) servers.insert(s.server);
    std::vector<std::string> names;
    names.reserve(slots.size());
    for (const auto& s : slots)
        names.push_back(servers.size() < 2 ? fmt::format("slot {}", s.slot)
                                           : fmt::format("slot {} at {}", s.slot, s.server));
    return names;
}

report_bars make_bars(const report_reply& r) {
    return bar_maker(r).make();
}

}  // namespace tandem::command

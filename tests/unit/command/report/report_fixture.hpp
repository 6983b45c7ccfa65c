#pragma once

#include "report/report_data.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace tandem::command {

/// Builds the timeline of a reply, event by event.
class reply_maker {
 public:
    using kind = timeline_event::kind;

    reply_maker() {
        reply_.id = "p1";
        reply_.result.finish_reason = finish_reason::eos;
        reply_.result.servers = {"http://a:1"};
    }
    reply_maker& event(kind what, double ms, int slot = -1, int chunk = -1, int server = 0) {
        reply_.result.timeline.push_back(
            {what, static_cast<std::int64_t>(ms * 1e6), slot, chunk, slot < 0 ? -1 : server});
        reply_.result.metrics.total_ms = ms;
        return *this;
    }
    /// Sets how long the slot's guard held back the request of the last event.
    reply_maker& guarded(double ms) {
        reply_.result.timeline.back().guard_wait_ms = ms;
        return *this;
    }
    /// Adds a chunk of request number `request`, counted from 0.
    reply_maker& chunk(std::string text, int request = 0, int cached = 0, int evaluated = 0) {
        tandem::chunk c;
        c.id.seq = static_cast<std::uint32_t>(reply_.chunks.size());
        c.text = c.speech = std::move(text);
        c.boundary = boundary::sentence;
        c.tokens = 4;
        c.metrics.slot = 0;
        c.metrics.request = request;
        c.metrics.cached = cached;
        c.metrics.evaluated = evaluated;
        reply_.chunks.push_back(std::move(c));
        reply_.result.metrics.chunks = static_cast<int>(reply_.chunks.size());
        return *this;
    }
    reply_maker& ends_with(finish_reason r) {
        reply_.result.finish_reason = r;
        return *this;
    }
    reply_maker& on(std::string server) {
        reply_.result.servers.push_back(std::move(server));
        return *this;
    }
    reply_maker& drops(int events) {
        reply_.result.dropped_events = events;
        return *this;
    }
    report_reply reply() const { return reply_; }

 private:
    report_reply reply_;
};

/// A reply with one request, which runs on `slot` and is cut.
inline report_reply make_reply_on(const std::string& id, int slot, double start_ms) {
    using step = timeline_event::kind;
    auto r = reply_maker()
                 .event(step::request, 0, slot)
                 .event(step::first_token, 10, slot)
                 .event(step::cut, 40, slot)
                 .event(step::end, 50)
                 .reply();
    r.id = id;
    r.start_ms = start_ms;
    return r;
}

}  // namespace tandem::command

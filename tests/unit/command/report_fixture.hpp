#pragma once

#include "report_data.hpp"

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
        reply_.finish = finish_reason::eos;
        reply_.servers = {"http://a:1"};
    }
    reply_maker& event(kind what, double ms, int slot = -1, int chunk = -1, int server = 0) {
        reply_.timeline.push_back(
            {what, static_cast<std::int64_t>(ms * 1e6), slot, chunk, slot < 0 ? -1 : server});
        reply_.metrics.total_ms = ms;
        return *this;
    }
    reply_maker& chunk(std::string text, double guard_wait_ms = 0) {
        report_chunk c;
        c.seq = static_cast<int>(reply_.chunks.size());
        c.text = c.speech = std::move(text);
        c.boundary = "sentence";
        c.tokens = 4;
        c.slot = 0;
        c.guard_wait_ms = guard_wait_ms;
        reply_.chunks.push_back(std::move(c));
        return *this;
    }
    reply_maker& ends_with(finish_reason r) {
        reply_.finish = r;
        return *this;
    }
    reply_maker& on(std::string server) {
        reply_.servers.push_back(std::move(server));
        return *this;
    }
    report_reply reply() const { return reply_; }

 private:
    report_reply reply_;
};

}  // namespace tandem::command

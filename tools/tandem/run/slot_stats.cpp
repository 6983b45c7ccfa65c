#include "run/slot_stats.hpp"

#include "text/url_text.hpp"

#include <fmt/format.h>

#include <tuple>

namespace tandem::command {

std::string format_slot(int slot) {
    return slot < 0 ? "–" : fmt::to_string(slot);
}

slot_stats& slot_stats::operator+=(const slot_stats& more) noexcept {
    requests += more.requests;
    chunks += more.chunks;
    generated += more.generated;
    cached += more.cached;
    evaluated += more.evaluated;
    return *this;
}

const std::string& reply_slot_stats::add(const chunk& c) {
    if (c.metrics.server != last_url_) {
        last_url_ = c.metrics.server;
        last_shown_ = c.metrics.server.empty() ? std::string() : redact_url(c.metrics.server);
    }
    counted_[{last_shown_, c.metrics.slot}] += {.chunks = 1,
                                                .generated = c.tokens,
                                                .cached = c.metrics.cached,
                                                .evaluated = c.metrics.evaluated};
    return last_shown_;
}

std::vector<slot_stats> reply_slot_stats::split_by_slot(const reply_result& r) const {
    auto slots = counted_;
    for (const auto& e : r.timeline)
        if (e.what == timeline_event::kind::request)
            slots[{server_of(r, e), e.slot}] += {.requests = 1};
    slot_stats counted;
    for (const auto& [_, figures] : slots) counted += figures;
    const auto last = r.timeline.empty() ? std::string() : server_of(r, r.timeline.back());
    slots[{last, r.metrics.slot}] += {.requests = r.metrics.requests - counted.requests,
                                      .chunks = r.metrics.chunks - counted.chunks,
                                      .generated = r.usage.generated - counted.generated,
                                      .cached = r.usage.cached - counted.cached,
                                      .evaluated = r.usage.evaluated - counted.evaluated};
    std::vector<slot_stats> result;
    for (auto& [at, figures] : slots) {
        std::tie(figures.server, figures.slot) = at;
        // Omits the entry of a reply that sent no request, which has no slot.
        if (figures.slot >= 0 || figures.chunks > 0) result.push_back(figures);
    }
    return result;
}

std::string server_of(const reply_result& r, const timeline_event& e) {
    return e.server < 0 ? std::string() : redact_url(r.servers[static_cast<std::size_t>(e.server)]);
}

}  // namespace tandem::command

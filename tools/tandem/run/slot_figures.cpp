#include "run/slot_figures.hpp"

#include "text/shown_url.hpp"

#include <tuple>

namespace tandem::command {

slot_figures& slot_figures::operator+=(const slot_figures& more) noexcept {
    requests += more.requests;
    chunks += more.chunks;
    generated += more.generated;
    cached += more.cached;
    evaluated += more.evaluated;
    return *this;
}

double slot_figures::cache_hit_ratio() const noexcept {
    const auto all = cached + evaluated;
    return all > 0 ? static_cast<double>(cached) / static_cast<double>(all) : 0.0;
}

const std::string& reply_slots::add(const chunk& c) {
    if (c.server != last_url_) {
        last_url_ = c.server;
        last_shown_ = c.server.empty() ? std::string() : shown_url(c.server);
    }
    told_[{last_shown_, c.slot}] +=
        {.chunks = 1, .generated = c.tokens, .cached = c.cached, .evaluated = c.evaluated};
    return last_shown_;
}

std::vector<slot_figures> reply_slots::of(const reply_result& r) const {
    auto slots = told_;
    for (const auto& e : r.timeline)
        if (e.what == timeline_event::kind::request)
            slots[{server_of(r, e), e.slot}] += {.requests = 1};
    slot_figures told;
    for (const auto& [_, figures] : slots) told += figures;
    const auto last = r.timeline.empty() ? std::string() : server_of(r, r.timeline.back());
    slots[{last, r.metrics.slot}] += {.requests = r.metrics.requests - told.requests,
                                      .chunks = r.metrics.chunks - told.chunks,
                                      .generated = r.usage.generated - told.generated,
                                      .cached = r.usage.cached - told.cached,
                                      .evaluated = r.usage.evaluated - told.evaluated};
    std::vector<slot_figures> result;
    for (auto& [at, figures] : slots) {
        std::tie(figures.server, figures.slot) = at;
        // A reply without a request had no slot.
        if (figures.slot >= 0 || figures.chunks > 0) result.push_back(figures);
    }
    return result;
}

std::string server_of(const reply_result& r, const timeline_event& e) {
    return e.server < 0 ? std::string() : shown_url(r.servers[static_cast<std::size_t>(e.server)]);
}

}  // namespace tandem::command

#pragma once

#include "base/time.hpp"
#include "wire/token_event.hpp"

#include "tandem/chunk.hpp"
#include "tandem/result.hpp"

#include <optional>
#include <vector>

namespace tandem::detail {

/// Counts what a reply did: tokens, slots, times, the timeline. Pure; decides nothing.
class reply_tally {
 public:
    void started(time_point now) { start_ = now; }
    void slot_wanted(time_point now);
    void request_sent(time_point now, int slot, bool reused, duration guard_wait);
    /// The request's connection was up so soon, or could not be had until now.
    void connected(duration after) noexcept;
    void not_connected(time_point now) noexcept { connected(now - request_.sent); }
    /// Any event of the running request.
    void event_read(time_point now, const wire::token_event& event);
    void boundary_found(time_point now) { note(now, timeline_event::kind::boundary); }
    /// The request ended, however.
    void request_over(time_point now) noexcept { token_wait_over(now); }
    void cut(time_point now);
    /// Fills in what belongs to the request that finished the chunk.
    void completed(chunk& c);
    /// Counts the chunk, and fills in its gap.
    void handed_over(time_point now, chunk& c);
    /// The chunk that was handed over last was continued.
    void continued(time_point now);
    void warming_sent(time_point now, int slot);
    /// `last` is the final event of the request that prefilled.
    void warmed(time_point now, int slot, const wire::token_event& last);
    void slot_idle(duration since_cut);
    /// A server failed, and the reply goes on.
    void lost(time_point now);
    void ended(time_point now, reply_result& result, int prompt_tokens);

 private:
    struct request_figures {
        int slot = -1;
        bool reused = false;
        duration guard_wait{};
        int cached = 0;
        int evaluated = 0;
        int predicted = 0;
        time_point sent{};
        time_point token_awaited{};  // since when
        bool first_token_seen = false;
        bool reported = false;  // in a chunk already
    };

    void note(time_point now, timeline_event::kind what, int chunk = -1);
    void note_on(int slot, time_point now, timeline_event::kind what, int chunk = -1);
    void close_request();
    void slot_wait_over(time_point now);
    void token_wait_over(time_point now) noexcept;
    void continue_wait_over(time_point now) noexcept;

    time_point start_{};
    std::optional<time_point> wanted_;  // since when a slot is waited for
    token_usage usage_;
    slot_metrics metrics_;
    request_figures request_;
    chunk last_;                                // that was handed over; without its texts
    std::optional<time_point> handed_over_at_;  // and not continued yet
    std::optional<time_point> continued_at_;
    std::vector<timeline_event> timeline_;
};

}  // namespace tandem::detail

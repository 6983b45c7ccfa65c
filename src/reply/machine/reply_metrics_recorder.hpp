#pragma once

#include "base/time.hpp"
#include "reply/machine/reply_remainder.hpp"
#include "slots/slot_scheduler.hpp"
#include "wire/json/token_event.hpp"

#include "tandem/chunk.hpp"
#include "tandem/result.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::detail {

/// Collects the figures of a reply: tokens, slots, times, the timeline. Pure; makes no decisions.
class reply_metrics_recorder {
 public:
    void record_start(time_point now) { start_ = now; }
    /// Further requests go to the server with this URL. Returns false if it is still the same
    /// server.
    bool set_server_url(std::string_view server);
    void add_early_work(const early_work& w);
    void record_slot_request(time_point now);
    /// The guard delayed a slot request by this time, until the request was granted or withdrawn.
    void record_guard_wait(duration wait) noexcept;
    void record_request_sent(time_point now, int slot, bool reused, duration guard_wait);
    /// The request connected after this time, or failed to connect by `now`.
    void on_connected(duration after) noexcept;
    void record_connect_failure(time_point now) noexcept { on_connected(now - request_.sent); }
    /// Counts an event of the running request.
    void on_event_read(time_point now, const wire::token_event& event);
    /// Prompt tokens of the running request, as last reported by the server.
    int cached_tokens() const noexcept { return request_.cached; }
    int evaluated_tokens() const noexcept { return request_.evaluated; }
    /// What the running request has generated.
    slots::generated_so_far generated() const noexcept { return request_.generated; }
    void record_boundary(time_point now) { record_event(now, timeline_event::kind::boundary); }
    /// The request ended, for whatever reason.
    void record_request_end(time_point now) noexcept;
    void record_cut(time_point now);
    /// Sets the chunk's metrics, which are those of the request that completed it.
    void fill_chunk_figures(chunk& c);
    /// Counts the chunk, and sets its gap if no other chunk is being spoken.
    void record_hand_over(time_point now, chunk& c);
    /// The oldest unspoken chunk was continued.
    void on_continued(time_point now);
    void record_warming_request(time_point now, int slot);
    /// `last` is the final event of the prefill request.
    void record_warming_end(time_point now, int slot, const wire::token_event& last);
    void on_slot_idle(duration since_cut);
    /// A server failed, and the reply continues.
    void record_failover(time_point now);
    void fill_result(time_point now, reply_result& result, int prompt_tokens);

 private:
    // A slot of a server; `server` is an index into servers_. -1 if there is none.
    struct slot_location {
        int server = -1;
        int slot = -1;
    };
    struct unspoken_chunk {
        std::uint32_t seq = 0;
        int tokens = 0;
        slot_location at{};
    };
    struct request_stats {
        slot_location at{};
        bool reused = false;
        duration guard_wait{};
        int cached = 0;
        int evaluated = 0;
        int predicted = 0;
        time_point sent{};
        time_point token_awaited{};  // start of the wait for a token
        int tokens = 0;              // read so far
        slots::generated_so_far generated{};
        slots::token_gaps gaps{};
        bool reported = false;   // already in a chunk
        bool is_listed = false;  // its figures are the last in requests_
    };

    void record_event(time_point now, timeline_event::kind what, int chunk = -1);
    void record_event_at(slot_location p, time_point now, timeline_event::kind what,
                         int chunk = -1);
    slot_location find_location(const chunk& c) const noexcept;
    void close_request();
    void end_slot_wait(time_point now);
    void record_token_wait(time_point now) noexcept;
    void count_token(time_point now);
    void end_continue_wait(time_point now) noexcept;

    time_point start_{};
    std::optional<time_point> wanted_;  // start of the wait for a slot
    token_usage usage_;
    std::optional<cache_break> broken_;
    slot_metrics metrics_;
    request_stats request_;
    std::vector<std::string> servers_;
    int server_ = -1;  // of the next request
    std::deque<unspoken_chunk> unspoken_;
    bool is_lost_ = false;                       // after a failure, until continued
    std::optional<time_point> speech_began_at_;  // of the first unspoken chunk
    std::optional<time_point> continued_at_;
    std::vector<request_figures> requests_;
    std::vector<timeline_event> timeline_;
    int dropped_events_ = 0;
};

}  // namespace tandem::detail

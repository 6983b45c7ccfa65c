#pragma once

#include "base/time.hpp"
#include "wire/json/token_event.hpp"

#include "tandem/chunk.hpp"
#include "tandem/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::detail {

/// Counts what a reply did: tokens, slots, times, the timeline. Pure; decides nothing.
class reply_tally {
 public:
    void started(time_point now) { start_ = now; }
    /// Requests go to the server with this URL from here on.
    /// False if it was there already.
    bool moved_to(std::string_view server);
    void slot_wanted(time_point now);
    /// A guard held back a wish that was served, or taken back.
    void guard_waited(duration wait) noexcept;
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
    /// A server failed, and the reply continues.
    void lost(time_point now);
    void ended(time_point now, reply_result& result, int prompt_tokens);

 private:
    // A slot of a server, which is an index of servers_; -1 if there is none.
    struct place {
        int server = -1;
        int slot = -1;
    };
    struct request_figures {
        place at{};
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
    void note_at(place p, time_point now, timeline_event::kind what, int chunk = -1);
    place place_of(const chunk& c) const noexcept;
    void close_request();
    void slot_wait_over(time_point now);
    void token_wait_over(time_point now) noexcept;
    void continue_wait_over(time_point now) noexcept;

    time_point start_{};
    std::optional<time_point> wanted_;  // since when a slot is waited for
    token_usage usage_;
    slot_metrics metrics_;
    request_figures request_;
    std::vector<std::string> servers_;
    int server_ = -1;  // of the next request
    chunk last_;       // that was handed over; without its texts
    place last_place_;
    bool is_lost_ = false;                      // and has not gone on yet
    std::optional<time_point> handed_over_at_;  // and not continued yet
    std::optional<time_point> continued_at_;
    std::vector<timeline_event> timeline_;
    int dropped_events_ = 0;
};

}  // namespace tandem::detail

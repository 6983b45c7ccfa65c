#pragma once

#include "base/time.hpp"
#include "reply/continuation.hpp"
#include "reply/reply_actions.hpp"
#include "reply/reply_tally.hpp"
#include "text/chunker.hpp"
#include "text/reasoning_filter.hpp"
#include "text/speech_cleaner.hpp"
#include "wire/token_event.hpp"

#include "tandem/config.hpp"
#include "tandem/result.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::detail {

/// Where a reply is. Its transitions are drawn in docs/architecture.md.
enum class reply_phase {
    idle,         ///< not started
    resolving,    ///< token ids are asked for that the next request needs
    queued,       ///< waits for a slot
    first_token,  ///< the request is sent
    streaming,    ///< tokens come
    holding,      ///< a chunk can end here; the peek decides
    ready,        ///< a chunk waits for the consumer to take it
    speaking,     ///< a chunk is handed over; waits for its continue
    ended,
};

/// The rules that one reply follows.
struct reply_rules {
    duration peek_hold;
    duration first_token_timeout;
    duration between_tokens_timeout;
    duration continue_timeout;
    /// Tokens of the whole reply at most; 0 = no bound.
    int max_tokens = 0;
    bool erase_after_cut = false;
    bool has_stop_words = false;
    std::vector<tag_pair> reasoning_tags{};
    speech_form speech = speech_form::exact;
    text::speech_options clean{};
};

/// One paced reply, without sockets, threads and clocks: it is told what happened and when, and
/// answers with actions. Not thread-safe.
class reply_machine {
 public:
    reply_machine(std::uint64_t id, std::string prompt, reply_rules rules,
                  std::unique_ptr<text::boundary_detector> detector, text::chunk_limits limits);

    // What happened. Each may be called in any phase; what does not fit the phase changes nothing.
    void start(time_point now);
    void prompt_tokenized(time_point now, std::vector<wire::token_id> ids);
    /// An empty list if the ids cannot be had.
    void tokens_recovered(time_point now, std::span<const wire::token_id> ids);
    void slot_granted(time_point now, int slot, bool reused, duration guard_wait);
    /// The answer's status came, which the server sends when a slot begins the request.
    void answer_begun(time_point now);
    void event_read(time_point now, const wire::token_event& event);
    /// The request ended without a final event, or could not be made.
    void request_failed(time_point now, error_code ec, const diagnostics& diag);
    /// The consumer asks for the next chunk.
    void chunk_wanted(time_point now);
    /// It takes that back.
    void chunk_not_wanted() noexcept { consumer_waits_ = false; }
    void continued(time_point now, chunk_id id);
    void interrupted(time_point now);
    /// Ends the reply with an error, whatever it is doing.
    void abandoned(time_point now, error_code ec, const diagnostics& diag);
    /// deadline() has come. Early calls change nothing.
    void deadline_reached(time_point now);

    /// When deadline_reached() must be called next, unless something else happens first.
    std::optional<time_point> deadline() const;
    /// What is to be done, in this order; empty afterwards.
    std::vector<action::any> take_actions() { return std::exchange(actions_, {}); }

    reply_phase phase() const noexcept { return phase_; }
    bool ended() const noexcept { return phase_ == reply_phase::ended; }
    std::uint64_t id() const noexcept { return id_; }
    prompt_view next_prompt() const { return continuation_.next_prompt(); }
    std::string_view prompt() const noexcept { return continuation_.prompt(); }
    /// Final once ended().
    const reply_result& result() const noexcept { return result_; }

 private:
    bool requesting() const noexcept;
    void enter(reply_phase next, time_point now);
    void token_read(time_point now, const wire::token_event& event);
    bool read_text(const wire::token_event& event);
    void chunk_read(time_point now);
    void hand_over_early(time_point now, time_point peek_due);
    void peek_read(time_point now, const wire::token_event& event);
    void peek_ended(time_point now, bool ids_are_sure = false);
    void generation_ended(time_point now, finish_reason reason);
    void check_slot(const wire::token_event& last);
    void end_request(time_point now, bool cut);
    void cut_request(time_point now, bool ids_are_sure = false);
    void request_gone(bool ids_are_sure = false);
    void chunk_complete(time_point now);
    void ask_for_ids();
    void next_chunk(time_point now);
    void offer_chunk(time_point now);
    void next_request(time_point now);
    void want_slot_when_resolved(time_point now);
    void hand_over(time_point now);
    bool last_chunk_spoken() const noexcept;
    void time_out(time_point now, errc code, duration limit, const char* what);
    void finish(time_point now, finish_reason reason, error_code ec = {}, diagnostics diag = {});

    const std::uint64_t id_;
    const reply_rules rules_;
    reply_phase phase_ = reply_phase::idle;
    time_point phase_since_{};
    time_point last_token_{};

    continuation continuation_;
    text::reasoning_filter reasoning_;
    text::chunker chunker_;
    text::speech_cleaner cleaner_;
    reply_tally tally_;

    std::optional<int> slot_;  // of the running request
    // The request goes on until then, or one event more, though the chunk before is offered
    // already.
    std::optional<time_point> peek_due_;
    bool peeked_ = false;  // all that is waited for is whether an event comes: it is not read
    bool begun_ = false;   // its answer came
    bool prompt_ids_asked_ = false;
    bool prompt_ids_pending_ = false;  // /tokenize has not answered yet
    bool recovery_pending_ = false;
    std::optional<finish_reason> generated_;  // set when no more text will come
    bool consumer_waits_ = false;
    std::uint32_t next_seq_ = 0;
    chunk spoken_;  // the chunk handed over last

    std::vector<action::any> actions_;
    reply_result result_;
};

}  // namespace tandem::detail

#pragma once

#include "base/failure.hpp"
#include "base/time.hpp"
#include "reply/machine/chunk_outbox.hpp"
#include "reply/machine/reply_actions.hpp"
#include "reply/machine/reply_metrics_recorder.hpp"
#include "reply/machine/reply_options.hpp"
#include "reply/machine/reply_remainder.hpp"
#include "reply/machine/slot_warming.hpp"
#include "reply/machine/token_id_resolver.hpp"
#include "reply/machine/voice_pace.hpp"
#include "reply/transcript/reply_transcript.hpp"
#include "server/retry_policy.hpp"
#include "server/server_leave_reason.hpp"
#include "text/chunks/chunker.hpp"
#include "text/chunks/reasoning_filter.hpp"
#include "text/chunks/reasoning_meter.hpp"
#include "text/chunks/tool_call_splitter.hpp"
#include "text/speech/speech_text_maker.hpp"
#include "wire/calls/tool_call_reader.hpp"
#include "wire/json/token_event.hpp"

#include "tandem/config.hpp"
#include "tandem/result.hpp"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::detail {

/// State of a reply's generation. docs/internals.md describes the transitions.
enum class reply_phase {
    idle,         ///< not started
    seeking,      ///< looks for a server, at first or after a failure, or pauses before that
    resolving,    ///< requests token ids for the next request
    queued,       ///< waits for a slot
    first_token,  ///< the request is sent
    streaming,    ///< tokens arrive
    holding,      ///< a chunk can end here; the peek decides
    peeking,      ///< enough text is generated; the cut waits for the peek
    resting,      ///< cut; the consumer must continue first
    generated,    ///< no more text follows
    ended,
};
inline constexpr std::size_t reply_phases = 11;

std::string_view name_of(reply_phase p) noexcept;

/// One paced reply, without sockets, threads or clocks: it receives events with their times and
/// returns actions. Not thread-safe.
class reply_machine {
 public:
    reply_machine(std::uint64_t id, reply_rules rules,
                  std::unique_ptr<text::boundary_detector> detector, text::chunk_limits limits);

    // Events. Each may be called in any phase; an event that does not fit the phase has no effect.
    void start(time_point now);
    /// The answer to action::request_server: a server with `slots` slots for the reply. With a
    /// single slot, nothing is prefilled, because that slot holds the text. The reply starts from
    /// `from`. If a further call passes another prompt before any text is generated, the reply
    /// starts over.
    void on_server_found(time_point now, int slots, reply_origin from = {});
    /// Sets the URL of the server; call it before on_server_found().
    void set_server_url(std::string_view server) {
        if (metrics_recorder_.set_server_url(server)) has_read_here_ = false;
    }
    /// The negative answer to action::request_server. If `is_final`, the reply seeks no other
    /// server.
    void on_no_server(time_point now, failure why, bool is_final = false);
    /// Leaves the server if it was removed, or if it is away and the reply rests. Leaves a hanging
    /// server unless the running request has received something since the check began.
    void leave_server(time_point now, server_leave_reason reason);
    /// Whether the running request shows that the server still works, unless it was removed.
    bool refutes_reason(const server_leave_reason& reason) const noexcept;
    void on_prompt_tokenized(time_point now, std::vector<wire::token_id> ids);
    /// `ids` is empty if the ids are unavailable.
    void on_tokens_recovered(time_point now, std::span<const wire::token_id> ids);
    /// `text` is what the ids of next_prompt() stand for on the server; empty if the server did not
    /// say.
    void on_ids_checked(time_point now, std::string_view text);
    /// A request for ids failed. Returns true if the reply has left the server, because a server
    /// that is away cannot confirm ids. If false, the caller must report an answer without ids or
    /// text.
    bool on_ids_request_failed(time_point now, const failure& why);
    void on_slot_granted(time_point now, int slot, bool reused, duration guard_wait);
    /// Another reply needs the slot sooner. Called during action::check_slot_demand.
    void on_slot_wanted(time_point now);
    /// The slot request was refused, because the queue is full.
    void on_slot_refused(time_point now);
    /// The status of the answer arrived; the server sends it when a slot starts the request.
    /// `connect_duration` is the connect time, if known.
    void on_response_started(time_point now, std::optional<duration> connect_duration = {});
    void on_event_read(time_point now, const wire::token_event& event);
    /// The answer to action::parse_calls: the calls in the generated text. If a JSON reply has no
    /// call, its text is the answer.
    void on_calls_parsed(time_point now, std::vector<tool_call> calls);
    /// The request ended without a final event, or could not be sent.
    void on_request_failed(time_point now, failure why);
    // The corresponding events of a prefill.
    void on_warm_slot_granted(time_point now, int slot);
    void on_warming_started() noexcept;
    void on_warming_event(time_point now, const wire::token_event& event);
    void on_warming_failed(time_point now, failure why);
    /// The slot request was withdrawn; `guard_wait` is how long the guard had delayed it.
    void on_slot_wait_cancelled(duration guard_wait);
    /// A poll found the slot idle, `since_cut` after this reply cut its request there.
    void on_slot_idle(duration since_cut) { metrics_recorder_.on_slot_idle(since_cut); }
    void on_chunk_requested(time_point now);
    /// The consumer withdraws its request.
    void on_chunk_request_withdrawn() noexcept { delivery_.on_request_withdrawn(); }
    /// The speech of the next chunk to hand over; nullopt until that chunk is complete. Changes no
    /// state.
    std::optional<std::string> upcoming_speech() const;
    /// The called functions; nullopt until they are known.
    std::optional<called_functions> get_called_functions() const;
    bool is_generating_call() const noexcept { return calls_.has_call() && !outcome_; }
    std::uint32_t count_handed_over() const noexcept { return delivery_.count_handed_over(); }
    void on_continued(time_point now, chunk_id id);
    /// The voice needs this long for the rest of this chunk. Has no effect if the voice is speaking
    /// another chunk.
    void speaks_until(time_point now, chunk_id id, duration rest);
    void on_interrupted(time_point now);
    /// A listener now waits for the draft, which ends as soon as its first chunk is complete.
    void on_draft_committed(time_point now);
    /// Ends the reply with an error in any phase.
    void end_with_error(time_point now, error_code ec, const diagnostics& diag);
    /// The time deadline() has passed. Early calls have no effect.
    void on_deadline(time_point now);

    /// When to call on_deadline() next, unless another event comes first.
    std::optional<time_point> deadline() const;
    /// The actions to execute, in this order; clears the list.
    std::vector<action::any_action> take_actions() { return std::exchange(actions_, {}); }

    reply_phase phase() const noexcept { return phase_; }
    bool ended() const noexcept { return phase_ == reply_phase::ended; }
    bool is_draft() const noexcept { return rules_.is_draft; }
    bool is_waiting_for_slot() const noexcept { return phase_ == reply_phase::queued; }
    bool is_waiting_for_warm_slot() const noexcept { return warming_.is_waiting(); }
    /// The slot on which the last request failed, unless another slot has been granted since.
    std::optional<int> failed_slot() const noexcept { return failed_slot_; }
    /// A draft does not use the slots kept for turns until a listener waits for it.
    slots::request_kind slot_request_kind() const noexcept {
        const bool waits_for_nobody = rules_.is_draft && !is_committed_;
        return has_begun() || waits_for_nobody ? slots::request_kind::continuation
                                               : slots::request_kind::turn;
    }
    /// When the listener will have heard the chunk being spoken and the complete chunks after it.
    /// This time is in the past if the listener is already waiting.
    time_point speech_runs_out_at(time_point now) const;
    /// The pace of the voice. set_pace() sets the pace learned in earlier replies.
    const voice_pace& pace() const noexcept { return pace_; }
    void set_pace(const voice_pace& learned) noexcept { pace_ = learned; }
    bool limits_reasoning() const noexcept { return meter_.is_limited(); }
    /// Sets a prompt in which the server's template closes the reasoning in advance: it shows how
    /// to close reasoning at a limit.
    void set_prompt_without_thinking(std::string p) noexcept { without_thinking_ = std::move(p); }
    /// Why another server is requested.
    const failure& failover_cause() const noexcept { return search_.cause; }
    /// The slot prefilled for the next request.
    std::optional<int> warm_slot() const noexcept { return warming_.slot(); }
    std::uint64_t id() const noexcept { return id_; }
    prompt_view next_prompt() const { return continuation_.next_prompt(); }
    /// The prompt of a prefill: it leaves at least one token for the next request to evaluate.
    prompt_view warming_prompt() const;
    /// The text and its known ids. Its text() is the prompt followed by the generated text.
    const reply_transcript& transcript() const noexcept { return continuation_; }
    std::string_view text() const noexcept { return continuation_.text(); }
    /// The text of the calls, from their mark on.
    std::string_view call_text() const noexcept { return calls_.call(); }
    /// Whether text was generated, which the next request continues.
    bool has_begun() const noexcept { return !continuation_.generated().empty(); }
    /// Returns the state from which another reply can continue. Call it once. Precondition:
    /// ended(), and its actions have been executed.
    reply_remainder take_remainder();
    /// Final once ended().
    const reply_result& result() const noexcept { return result_; }
    /// The transitions made so far, indexed by `from * reply_phases + to`.
    using transitions = std::bitset<reply_phases * reply_phases>;
    const transitions& transitions_made() const noexcept { return made_; }

 private:
    /// How generation ended.
    struct outcome {
        finish_reason reason;
        failure error{};
    };

    struct running_request {
        int slot;
        time_point heard_at;  // time of its last event, or of sending it
        bool has_started = false;
    };
    /// The state of the chunk that is being read.
    struct open_chunk {
        std::optional<time_point> since;  // arrival of its first text
        bool is_unbreakable = false;      // overdue, but has no place to end yet
    };
    /// The state while peeking.
    struct peek {
        time_point due;
        bool is_token_unread;  // waits for any further event without reading it
    };
    struct server_search {
        bool is_asked = false;  // requested, but not answered yet
        failure cause;          // why another server is requested
        time_point lost_at{};
    };

    bool has_running_request() const noexcept { return request_.has_value(); }
    std::optional<int> running_slot() const noexcept {
        return request_ ? std::optional(request_->slot) : std::nullopt;
    }
    void enter_phase(reply_phase next, time_point now);

    // Reading.
    void on_token_read(time_point now, const wire::token_event& event);
    bool read_text(time_point now, const wire::token_event& event);
    void on_visible_read(time_point now, const text::visible_text& visible);
    void on_reasoning_read(time_point now, std::string_view reasoning);
    void show_text(const text::tool_call_splitter::visible& said) {
        chunker_.feed(said.text, said.tokens);
        meter_.on_text_shown(said.text);
    }
    void continue_reading(time_point now);
    void on_chunk_read(time_point now, bool peeked);
    void record_progress();
    void stop_after_chunk(time_point now, bool peeked);
    void collect_chunks(time_point now);
    void on_peek_token(time_point now, const wire::token_event& event);
    void end_peek(time_point now, bool ids_are_sure);
    void end_reading(time_point now, bool ids_are_sure);
    void report_slot_mismatch(const wire::token_event& last, int asked);

    // Pacing, in reply_machine_speech.cpp.
    bool is_lead_full(time_point now) const;
    bool needs_next_request(time_point now) const;
    time_point next_request_time() const;
    void on_speech_started(time_point now);
    void on_speech_ended(time_point now, chunk_id last);

    // Tool calls, in reply_machine_calls.cpp.
    void on_call_read(time_point now);
    bool is_parsing_calls() const noexcept { return parses_as_.has_value(); }
    text::tool_call_splitter make_splitter(const reply_origin& from) const;
    bool has_call_to_parse(finish_reason reason) const;
    bool is_answer_in_json() const noexcept { return rules_.uses_call_schema && !rules_.must_call; }
    void parse_calls(time_point now, finish_reason reason);
    static failure make_too_long_failure();
    static bool is_parse_error(const error_code& ec) noexcept;
    void fail_call(time_point now, failure why);
    bool can_force_calls() const;
    void force_calls(time_point now);
    void request_calls(int slot);

    // The end of reasoning, in reply_machine_reasoning.cpp.
    text::reasoning_meter make_meter(bool is_inside) const;
    bool ends_in_reasoning(finish_reason reason) const;
    void end_reasoning(time_point now, bool cut);
    bool ends_without_speech(finish_reason reason) const;
    void force_speech(time_point now);
    void end_request_and_continue(time_point now, bool cut);
    time_point reasoning_deadline() const;
    bool drops_grammar() const noexcept;
    action::send_request make_request(int slot) const;
    void fill_reasoning_figures(time_point now);

    // Requests.
    void begin(time_point now, reply_origin from);
    void resume_from_remainder(time_point now, reply_remainder rest, std::string_view spoken);
    void continue_begun_text(time_point now, const begun_text& begun, std::string_view spoken);
    void continue_text(time_point now);
    void next_request(time_point now);
    bool is_token_budget_spent() const noexcept;
    void on_ids_resolved(time_point now);
    void request_slot_when_resolved(time_point now);
    void end_request(time_point now, bool cut);
    void pause_or_request_next(time_point now);

    // Continuing after a server failure, in reply_machine_failover.cpp.
    void acquire_server(time_point now);
    void handle_server_failure(time_point now, failure why);
    void abandon(time_point now, failure why);
    bool should_leave_server(const server_leave_reason& reason) const noexcept;
    bool can_retry(time_point now, failure& why);
    time_point peek_hold_deadline() const;
    void handle_peek_hold_expiry(time_point now);
    void hand_over_before_request(time_point now);
    time_point server_search_deadline() const;
    time_point retry_give_up_time() const;
    void give_up(time_point now);

    // Chunks.
    void hand_over_due_chunks(time_point now);
    void end_complete_draft(time_point now);
    void keep_drafted_chunk();
    bool counts_request_as_continue() const noexcept;
    void hand_over(time_point now);

    // The end, in reply_machine_end.cpp.
    void on_final_event(time_point now, const wire::token_event& event);
    void flush_withheld_text(time_point now, finish_reason reason);
    void end_generation(time_point now, finish_reason reason);
    void end_text(time_point now, finish_reason reason);
    void fail_generation(time_point now, failure why);
    void finish(time_point now, outcome how);

    // Time limits, in reply_machine_deadlines.cpp. A limit that does not apply is `never`.
    time_point next_deadline() const;
    time_point generation_deadline() const;
    time_point phase_deadline() const;
    time_point reply_deadline() const;
    time_point chunk_break_time() const;
    time_point consumer_deadline() const;
    time_point warming_deadline() const;
    void handle_reply_timeout(time_point now);
    void handle_generation_timeout(time_point now);
    void handle_chunk_deadline(time_point now);
    void handle_consumer_timeout(time_point now);
    void fail_with_timeout(time_point now, errc code, duration limit, const char* what);
    failure make_timeout_failure(errc code, duration limit, const char* what) const;

    const std::uint64_t id_;
    const reply_rules rules_;
    reply_phase phase_ = reply_phase::idle;
    time_point phase_since_{};
    time_point last_token_{};
    transitions made_;

    text::reasoning_filter reasoning_{std::vector<tag_pair>()};
    text::reasoning_meter meter_;
    std::string without_thinking_;
    int forced_speeches_ = 0;
    bool is_speech_forced_ = false;  // the next or running request must not end immediately
    text::tool_call_splitter calls_;
    wire::tool_call_reader streamed_call_;
    std::string call_lead_;  // what the template writes from the mark to the function's name
    std::optional<finish_reason> parses_as_;  // the end of generation, while calls are being parsed
    bool forces_calls_ = false;               // the model's own calls are invalid
    bool is_committed_ = false;               // a turn waits for the draft
    text::chunker chunker_;
    text::speech_text_maker voice_;
    chunk_outbox delivery_;
    voice_pace pace_;
    time_point speech_began_{};                   // of the chunk being spoken
    time_point speech_ends_{};                    // estimated
    std::optional<bool> ended_chunk_was_peeked_;  // unset at the next token
    reply_metrics_recorder metrics_recorder_;
    std::vector<action::any_action> actions_;
    reply_transcript continuation_;
    token_id_resolver ids_{continuation_, actions_};
    slot_warming warming_{actions_, rules_.erase_after_cut};

    std::optional<running_request> request_;
    bool has_read_here_ = false;  // has read text from this server
    peek peek_{};
    open_chunk open_chunk_;

    retry_policy retry_;
    bool has_origin_ = false;
    server_search search_;
    std::optional<int> failed_slot_;
    time_point started_{};
    time_point listener_waits_since_{};  // valid while nothing is being spoken
    std::optional<outcome> outcome_;     // set when no more text follows
    reply_remainder rest_;
    reply_result result_;
};

}  // namespace tandem::detail

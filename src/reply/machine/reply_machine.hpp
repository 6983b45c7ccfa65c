#pragma once

#include "base/failure.hpp"
#include "base/time.hpp"
#include "reply/machine/continuation.hpp"
#include "reply/machine/delivery.hpp"
#include "reply/machine/pacing_rules.hpp"
#include "reply/machine/reply_actions.hpp"
#include "reply/machine/reply_origin.hpp"
#include "reply/machine/reply_tally.hpp"
#include "reply/machine/warming.hpp"
#include "server/going_on.hpp"
#include "server/reason_to_leave.hpp"
#include "text/chunks/chunker.hpp"
#include "text/chunks/reasoning_filter.hpp"
#include "text/speech/speech_cleaner.hpp"
#include "wire/json/token_event.hpp"

#include "tandem/config.hpp"
#include "tandem/result.hpp"

#include <bitset>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::detail {

/// Where the generation of a reply is. Its transitions are in docs/internals.md.
enum class reply_phase {
    idle,         ///< not started
    seeking,      ///< a server is asked for, at first and after one failed; or that is paused
    resolving,    ///< token ids are asked for that the next request needs
    queued,       ///< waits for a slot
    first_token,  ///< the request is sent
    streaming,    ///< tokens come
    holding,      ///< a chunk can end here; the peek decides
    peeking,      ///< enough is generated; the cut waits for the peek
    resting,      ///< cut; the consumer must go on first
    generated,    ///< no more text will come
    ended,
};
inline constexpr std::size_t reply_phases = 11;

std::string_view name_of(reply_phase p) noexcept;

/// The rules that one reply follows.
struct reply_rules {
    pacing_rules pacing{};
    duration peek_hold;
    duration first_token_timeout;
    duration between_tokens_timeout;
    duration continue_timeout;
    /// A request waits for its slot so long at most.
    duration queue_timeout = std::chrono::seconds(60);
    /// The whole reply, the voice's time included; 0 = no bound.
    duration reply_timeout{};
    going_on_rules going_on{};
    /// By a grammar, whose state no second request has: nothing is cut.
    bool is_constrained = false;
    /// From a chunk's first token to its hand-over, where no other is spoken; 0 = no bound.
    duration chunk_deadline{};
    /// Tokens of the whole reply at most; 0 = no bound.
    int max_tokens = 0;
    bool erase_after_cut = false;
    bool has_stop_words = false;
    std::vector<tag_pair> reasoning_tags{};
    /// As pieces without text, which are no chunks. Pieces without either show that the prompt is
    /// being evaluated.
    bool hands_over_reasoning = false;
    speech_form speech = speech_form::exact;
    text::speech_options clean{};
};

/// One paced reply, without sockets, threads and clocks: it receives what happened and when, and
/// answers with actions. Not thread-safe.
class reply_machine {
 public:
    reply_machine(std::uint64_t id, reply_rules rules,
                  std::unique_ptr<text::boundary_detector> detector, text::chunk_limits limits);

    // What happened. Each may be called in any phase; what does not fit the phase changes nothing.
    void start(time_point now);
    /// The answer to action::seek_server: a server with so many slots for the reply. With one,
    /// nothing is prefilled: there is none besides that of the text. `from` is what the reply
    /// starts from; it starts over with another prompt as long as it has not begun.
    void server_found(time_point now, int slots, reply_origin from = {});
    /// Which one that is, by its URL; to be set before.
    void moved_to(std::string_view server) {
        if (tally_.moved_to(server)) has_read_here_ = false;
    }
    /// The other answer. `is_final`: no server is to be sought any more.
    void no_server(time_point now, failure why, bool is_final = false);
    /// One that was removed is left; one that is away by what rests; one that hangs where no
    /// request runs, or it has heard nothing since the server was asked.
    void leave_server(time_point now, reason_to_leave reason);
    void prompt_tokenized(time_point now, std::vector<wire::token_id> ids);
    /// An empty list if the ids cannot be had.
    void tokens_recovered(time_point now, std::span<const wire::token_id> ids);
    /// What the ids of next_prompt() say at the server; empty if it does not know.
    void ids_checked(time_point now, std::string_view text);
    /// The server did not answer one of these questions. False: take it as an answer that it
    /// cannot. True: it was left for that, as one that is away says nothing against the ids.
    bool left_unanswered(time_point now, const failure& why);
    void slot_granted(time_point now, int slot, bool reused, duration guard_wait);
    /// As many wait for a slot as may.
    void slot_refused(time_point now);
    /// The answer's status came, which the server sends when a slot begins the request.
    /// `connected_after`: how long its connection took, if that is known.
    void answer_begun(time_point now, std::optional<duration> connected_after = {});
    void event_read(time_point now, const wire::token_event& event);
    /// The request ended without a final event, or could not be made.
    void request_failed(time_point now, failure why);
    // The same for the request that prefills.
    void warm_slot_granted(time_point now, int slot);
    void warming_begun() noexcept;
    void warming_read(time_point now, const wire::token_event& event);
    void warming_failed(time_point now, failure why);
    /// The wish for a slot was taken back; the guard had held it back so long.
    void wait_given_up(duration guard_wait);
    /// A slot that this reply cut is idle at the server, so long after the cut.
    void slot_idle(duration since_cut) { tally_.slot_idle(since_cut); }
    /// The consumer asks for the next chunk.
    void chunk_wanted(time_point now);
    /// It takes that back.
    void chunk_not_wanted() noexcept { delivery_.not_wanted(); }
    /// What is to be spoken of the chunk that is handed over next; nothing as long as it is not
    /// complete. Changes nothing.
    std::optional<std::string> upcoming_speech() const;
    std::uint32_t handed_over() const noexcept { return delivery_.handed_over(); }
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
    bool wants_slot() const noexcept { return phase_ == reply_phase::queued; }
    bool wants_warm_slot() const noexcept { return warming_.is_waiting(); }
    /// The slot on which the last request failed, where no other has been given since.
    std::optional<int> failed_slot() const noexcept { return failed_slot_; }
    /// How much the listener misses what the request for a slot brings.
    slots::priority slot_priority() const noexcept {
        if (!has_begun()) return slots::priority::turn;
        return going_on_.since() && delivery_.lead() == 0 ? slots::priority::rescue
                                                          : slots::priority::continuation;
    }
    /// Why a server is asked for again.
    const failure& lost_to() const noexcept { return lost_to_; }
    /// The slot that is prefilled for the next request.
    std::optional<int> warm_slot() const noexcept { return warming_.slot(); }
    std::uint64_t id() const noexcept { return id_; }
    prompt_view next_prompt() const { return continuation_.next_prompt(); }
    /// What prefills a slot for it: the next request must have one token more to evaluate.
    prompt_view warming_prompt() const;
    /// What is known of the text and its ids. Prompt and generated text are its text().
    const continuation& said() const noexcept { return continuation_; }
    std::string_view text() const noexcept { return continuation_.text(); }
    /// Text was generated: the next request continues from it.
    bool has_begun() const noexcept { return !continuation_.generated().empty(); }
    /// What another reply can continue from. Precondition: ended(), and its actions are done; once.
    reply_rest take_rest();
    /// Final once ended().
    const reply_result& result() const noexcept { return result_; }
    /// Which transitions were made, by `from * reply_phases + to`.
    using transitions = std::bitset<reply_phases * reply_phases>;
    const transitions& made() const noexcept { return made_; }

 private:
    /// How generation ended.
    struct outcome {
        finish_reason reason;
        failure error{};
    };

    bool requesting() const noexcept { return slot_.has_value(); }
    void enter(reply_phase next, time_point now);

    // Reading.
    void token_read(time_point now, const wire::token_event& event);
    bool read_text(time_point now, const wire::token_event& event);
    void reasoning_read(time_point now, std::string_view reasoning);
    void read_on(time_point now);
    void chunk_read(time_point now, bool peeked);
    void collect_chunks(time_point now);
    void peek_read(time_point now, const wire::token_event& event);
    void peek_ended(time_point now, bool ids_are_sure);
    void reading_ended(time_point now, bool ids_are_sure);
    void check_slot(const wire::token_event& last, int asked);

    // Requests.
    void begin(time_point now, reply_origin from);
    void go_on_from(time_point now, reply_rest rest, std::string_view spoken);
    void next_request(time_point now);
    bool is_used_up() const noexcept;
    bool ids_are_pending() const noexcept {
        return prompt_ids_pending_ || recovery_pending_ || ids_check_pending_;
    }
    void ids_answered(time_point now);
    void want_slot_when_resolved(time_point now);
    void end_request(time_point now, bool cut);
    void ask_for_ids();
    void rest(time_point now);

    // Going on after a server failed, in reply_machine_going_on.cpp.
    void seek(time_point now);
    void lost(time_point now, failure why);
    void abandon(time_point now, failure why);
    bool should_leave(const reason_to_leave& reason) const noexcept;
    bool may_go_on(time_point now, failure& why);
    time_point hold_due() const;
    void hold_overdue(time_point now);
    void hand_over_before_request(time_point now);
    void check_ids();
    time_point seeking_due() const;
    time_point patience_over() const;
    void give_up(time_point now);
    void do_without_ids();

    // Chunks and ends.
    void deliver(time_point now);
    void hand_over(time_point now);
    std::string speech_of(text::speech_cleaner& cleaner, const std::string& said) const;
    void generation_ended(time_point now, finish_reason reason);
    void generation_failed(time_point now, failure why);
    void finish(time_point now, outcome how);

    // Limits, in reply_machine_limits.cpp. What is not waited for is due never.
    time_point next_due() const;
    time_point generation_due() const;
    time_point phase_due() const;
    time_point reply_due() const;
    time_point chunk_due() const;
    time_point consumer_due() const;
    time_point warming_due() const;
    void reply_overdue(time_point now);
    void generation_overdue(time_point now);
    void chunk_overdue(time_point now);
    void consumer_overdue(time_point now);
    void time_out(time_point now, errc code, duration limit, const char* what);
    failure overtime(errc code, duration limit, const char* what) const;

    const std::uint64_t id_;
    const reply_rules rules_;
    reply_phase phase_ = reply_phase::idle;
    time_point phase_since_{};
    time_point last_token_{};
    time_point heard_at_{};  // of the running request, or when it was sent
    transitions made_;

    continuation continuation_;
    text::reasoning_filter reasoning_{std::vector<tag_pair>()};
    text::chunker chunker_;
    text::speech_cleaner cleaner_;
    delivery delivery_;
    reply_tally tally_;
    std::vector<action::any> actions_;
    warming warming_{actions_, rules_.erase_after_cut};

    bool can_warm_ = false;
    std::optional<int> slot_;     // of the running request
    bool begun_ = false;          // its answer came
    bool has_read_here_ = false;  // text of this server
    bool peeked_ = false;    // all that is waited for is whether an event comes: it is not read
    time_point peek_due_{};  // while peeking
    // Of the open chunk: when its first text came, and whether it has no place to end at yet.
    std::optional<time_point> chunk_since_;
    bool is_unbreakable_ = false;
    bool shows_no_text_ = false;
    bool prompt_ids_asked_ = false;
    bool prompt_ids_pending_ = false;  // /tokenize has not answered yet
    bool recovery_pending_ = false;
    bool ids_can_be_had_ = true;  // at this server
    // The ids came from a server that failed; they may mean other words at this one.
    bool ids_unproven_ = false;
    bool ids_check_pending_ = false;

    going_on going_on_;
    bool has_origin_ = false;
    bool seek_asked_ = false;  // and not answered
    failure lost_to_;
    time_point lost_at_{};
    std::optional<int> failed_slot_;
    time_point started_{};
    time_point listener_waits_since_{};  // where nothing is spoken
    std::optional<outcome> outcome_;     // set when no more text will come
    reply_rest rest_;
    reply_result result_;
};

}  // namespace tandem::detail

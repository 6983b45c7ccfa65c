#pragma once

#include "base/time.hpp"
#include "gateway/json/api_error.hpp"
#include "gateway/records/session_record.hpp"
#include "gateway/voice/voice_actions.hpp"
#include "gateway/voice/voice_earlier_words.hpp"
#include "gateway/voice/voice_limits.hpp"
#include "gateway/voice/voice_message_reader.hpp"
#include "gateway/voice/voice_message_writer.hpp"
#include "gateway/voice/voice_open_calls.hpp"

#include "tandem/chunk.hpp"
#include "tandem/result.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tandem::gateway {

/// Returns the scales of all adapters for a selection of adapters, or for none; see
/// adapter_set::select_adapters().
using adapters_of_model = std::function<std::variant<std::vector<adapter_scale>, api_error>(
    const std::optional<std::vector<requested_adapter>>&)>;

/// Settings of a session.
struct voice_setup {
    /// From voice_session_table::admit().
    std::string session{};
    /// The session's model, and the name that the client requested.
    std::string model{};
    std::string asked_model{};
    /// The service's defaults, which a start can change.
    generation_options generation{};
    conversation_options conversation{};
    /// The adapters of the model (empty = none), and the session's selection, if its start has one.
    adapters_of_model adapters{};
    std::optional<std::vector<requested_adapter>> lora{};
    voice_limits limits{};
    /// limits_config::continue_timeout of the service.
    duration continue_timeout = std::chrono::seconds(30);
};

/// One voice session, between its successive sockets and its conversation. Receives the client's
/// messages and the events of replies, and returns actions. Pure; not thread-safe.
///
/// One reply runs at a time. A new turn of the user interrupts the running reply once the turn is
/// permitted, and begins when that reply has ended. A given text waits for that end. Each accepted
/// reply ends with exactly one `end`, or one `error` that names it. Without a socket, the session
/// keeps this message for the next socket. It ignores chunk ids of other sessions, and of replies
/// before its last one. A lost socket interrupts the reply, and the next socket resumes it. The new
/// socket may report what the listener heard in the meantime, and which chunk the voice still
/// speaks.
///
/// A reply may call functions. When each call has its result, the reply to the results begins. An
/// interruption, a new turn of the user and a lost socket drop the calls without a result. If the
/// turn is resumed, the rest of the words before the calls is spoken, and then another reply
/// begins. A late result is kept for the next turn. While functions run, only given texts outside
/// of the history are spoken; they begin when the words before the calls were spoken, and precede
/// the reply to results that arrived after them.
///
/// A reply whose first chunk is late may begin with a filler. A chunk that arrives while the filler
/// is spoken is sent after the filler's continue.
///
/// After each call, take and perform the actions in order until there are none left; an action may
/// call the session again. Run a timer for next_check().
class voice_turn_machine {
 public:
    explicit voice_turn_machine(voice_setup setup);
    /// Restores a session of another gateway, as if it had lost its socket. `first` and `last` are
    /// the options of the record's first start and of its last turn.
    voice_turn_machine(voice_setup setup, session_record record, const generation_changes& first,
                       const generation_changes& last);
    const std::string& session() const noexcept { return setup_.session; }
    /// The record of the session, without its conversation, for another gateway.
    session_record record() const;

    /// Why this start cannot resume the session; nullopt if it can.
    std::optional<api_error> find_fault(const voice::start& first) const;
    /// A socket opens or resumes the session with this start. It receives `ready`; the session's
    /// previous socket is closed.
    void on_socket_attached(time_point now, voice_socket socket, voice::start first);
    /// No effect if the socket is not the session's current one.
    void on_message(time_point now, voice_socket socket, voice_message message);
    void on_socket_lost(time_point now, voice_socket socket);

    // Results of actions. Unexpected or outdated ones have no effect.
    void on_turn_permitted(time_point now, std::uint64_t number);
    void on_turn_refused(time_point now, std::uint64_t number, api_error why);
    void on_chunk(time_point now, std::uint64_t number, const chunk& c);
    void on_calls(time_point now, std::uint64_t number, const called_functions& called);
    void on_reply_ended(time_point now, std::uint64_t number, reply_result result);
    /// No draft was started for the client's turn; `reason` says why.
    void on_draft_skipped(std::string_view turn, std::string_view reason);

    /// The gateway is stopping: no further turn begins, and the session ends after the running
    /// reply.
    void drain(time_point now);
    /// Draining takes too long: interrupts the running reply. A session that moves is released at
    /// once if the store has its record.
    void stop(time_point now, bool is_recorded = false);

    /// The gateway is stopping, and another one can continue the session.
    void begin_move(time_point now);
    bool is_moving() const noexcept { return is_moving_; }
    /// Whether the listener would not notice a move now: nothing runs, or the voice has just begun
    /// to speak a chunk. From five seconds after begin_move(), any time during a chunk will do.
    bool can_move(time_point now) const noexcept;
    /// Closes the socket; the client resumes the session at another gateway. After the reply,
    /// the session ends on this gateway.
    void move(time_point now);
    /// Another gateway takes the session, or may do so: closes the socket.
    void release_to_gateway(time_point now, voice_close why);
    /// Whether the session ends here as soon as nothing runs and its newest record is in the store.
    bool is_released() const noexcept { return is_released_; }
    /// Another gateway has the session.
    void end_taken_over() { finish(voice_close::taken_over); }

    /// An exception occurred in the session: ends it immediately. Pending actions are dropped,
    /// because it is unknown how many were performed.
    void on_exception();

    /// Call at next_check().
    void check(time_point now);
    std::optional<time_point> next_check() const;

    /// The pending actions, in order.
    std::vector<voice_action::any> take_actions() { return std::exchange(actions_, {}); }
    bool is_over() const noexcept { return stage_ == stage::over; }
    bool has_socket() const noexcept { return socket_.has_value(); }
    bool is_running() const noexcept { return reply_ && !reply_->is_ended(); }
    /// Whether a reply is running, or a turn waits for one; without a socket, it waits for that.
    bool is_busy() const noexcept { return is_running() || (socket_ && !waiting_.empty()); }

 private:
    /// `ending`: the client ends the session; `draining`: the gateway does; `leaving`: the session
    /// moves, after the running reply was interrupted.
    enum class stage { open, ending, draining, leaving, over };

    /// The reply that is resumed when a socket is attached.
    struct due_resume {
        bool is_due = false;
        bool wants_timeline = false;  // the socket's start requested one for the reply
        std::string turn{};           // the turn id of that start, if it has no other content
    };
    struct waiting_turn {
        voice_turn_ptr turn;
        bool is_permitted = false;
        bool was_checked = false;
        bool is_check_due = false;  // there was no socket
        bool is_cancelled = false;  // its messages are kept, but not replied to
    };
    using queue = std::deque<waiting_turn>;
    /// Words before the first chunk of a reply: a filler while the listener waits, or cut words of
    /// the turn's earlier replies.
    struct spoken_filler {
        std::optional<time_point> due{};
        std::string text{};             // as it was sent; empty = none
        bool is_speaking = false;       // it has no continue yet
        bool is_repeated = false;       // history has the words already
        std::optional<chunk> answer{};  // the first chunk, which arrived while it was spoken
    };
    struct interruption {
        bool has_unsent;          // a chunk arrived after it
        bool has_cut_last_words;  // it silenced the previous reply
    };
    /// The running reply, or the last one.
    struct last_reply {
        /// Complete: the reply ended by itself, without calls.
        enum class state { running, incomplete, complete };

        voice_turn_ptr turn;
        state progress = state::running;
        std::optional<interruption> interrupted{};
        bool is_asked = true;      // its next chunk was requested
        bool is_speaking = false;  // its last chunk has no continue
        bool is_unheard = false;   // it was speaking when the socket was lost
        std::uint64_t id = 0;      // the library's; set by the first chunk
        std::uint32_t chunks = 0;  // number of sent chunks, including a filler
        spoken_filler filler{};
        std::string text{};                      // of the sent chunks
        std::vector<recorded_chunk> unspoken{};  // sent, without a continue
        double heard_tokens = 0;                 // of the unspoken chunks, at least
        time_point spoken_since{};
        time_point begun_at{};
        std::optional<time_point> first_chunk_at{};

        bool is_ended() const noexcept { return progress != state::running; }
        bool has_unsent() const noexcept { return interrupted && interrupted->has_unsent; }
        bool has_cut_last_words() const noexcept {
            return interrupted && interrupted->has_cut_last_words;
        }
        std::uint32_t count_fillers() const noexcept { return filler.text.empty() ? 0 : 1; }
        bool has(const client_chunk_id& name) const noexcept {
            return name.reply == turn->number && name.seq < chunks;
        }
        bool is_filler(const client_chunk_id& name) const noexcept {
            return name.seq < count_fillers();
        }
        // A filler is unknown to the library.
        chunk_id to_library_id(const client_chunk_id& name) const noexcept {
            return {id, name.seq - count_fillers()};
        }
        const recorded_chunk* find_unspoken(const client_chunk_id& name) const;
        void record_heard(const recorded_chunk& chunk, std::size_t characters);
    };

    // Messages of the client.
    void handle(time_point now, voice::start m);
    void handle(time_point now, const voice::continued& m);
    void handle(time_point now, const voice::speaking& m);
    void handle(time_point now, const voice::heard& m);
    void apply_last_heard(const voice::last_heard& last);
    void handle(time_point now, const voice::interrupt& m);
    void handle(time_point now, const voice::resume& m);
    void handle(time_point now, voice::result m);
    void handle(time_point now, voice::say m);
    void handle(time_point now, voice::hearing m);
    void handle(time_point now, voice::draft m);
    void handle(time_point now, voice::commit m);
    void handle(time_point now, voice::drop m);
    void handle(time_point now, const voice::end& m);
    bool reject_if(bool is_wrong, const char* field, std::string_view what);
    bool reject_short_grace(const voice::start& m);
    bool reject_other_model(const voice::start& m);
    bool reject_misplaced_start(const voice::start& m);
    bool reject_faulty_options(const std::vector<config_fault>& faults);
    bool resolve_adapters(const generation_changes& changes, generation_options& out);
    std::optional<generation_options> merge_options(const generation_changes& changes);
    void set_session_options(const generation_changes& first);
    void set_conversation_options(const conversation_changes& changes);
    bool reject_turn_if_full();
    void start_turn(time_point now, voice::start m);
    void queue_turn(time_point now, voice_turn turn, queue::const_iterator place);
    voice_turn make_resume(bool timeline, std::string id) const;

    // Turns and replies.
    bool is_closing() const noexcept {
        return stage_ == stage::ending || stage_ == stage::draining;
    }
    /// Whether the voice speaks the last words of a turn whose resumed reply has ended.
    bool is_spoken_to_end() const noexcept {
        return last_words_ && !is_running() && reply_->turn->what == voice_turn::kind::resume &&
               !reply_->turn->has_called;
    }
    bool is_aside() const noexcept { return reply_->turn->what == voice_turn::kind::aside; }
    void interrupt();
    void interrupt_last_words();
    void interrupt_for(time_point now, queue::iterator turn);
    void cancel_waiting(queue::iterator end);
    queue::iterator find_waiting(std::uint64_t number);
    bool has_user_turn_waiting() const;
    void end_waiting_turns(const api_error* why);
    void advance(time_point now);
    bool start_next_waiting_turn(time_point now);
    void start_waiting_turn(time_point now, const waiting_turn& next);
    void say_given_text(time_point now, const voice_turn_ptr& turn);
    void resume(time_point now, const voice_turn_ptr& turn);
    bool is_repeated(const voice_turn& turn) const;
    void put_messages_in_history(const voice_turn& turn);
    template <class Action>
    void begin_reply(time_point now, const voice_turn_ptr& turn, Action action);
    std::optional<voice_timing> report_first_chunk(const reply_result& result);
    void add_messages(const voice_turn& turn);
    void resume_if_due(time_point now);
    bool is_chunk_of_reply(const client_chunk_id& id) const { return reply_ && reply_->has(id); }
    last_reply* find_reply(const client_chunk_id& id);
    std::optional<chunk_id> find_in_history(const client_chunk_id& id);
    void report_heard_whole(const client_chunk_id& id);
    void carry_over_spoken_chunk();
    void drop_resume();
    void drop_resume_if_heard();
    void request_next_chunk();
    void request_early_chunk(const chunk& last);
    std::optional<time_point> continue_due() const;
    void on_continue_overdue(time_point now);
    void finish_if_done();
    void finish(voice_close why);
    void settle_ended_reply(time_point now, const reply_result& result);

    // Called functions.
    bool has_turn_called() const noexcept;
    bool is_followed_by_reply(const reply_result& result) const;
    void queue_reply_after_rest(time_point now);
    bool is_reply_to_calls_waiting() const;
    void send_calls(time_point now, const called_functions& called);
    void end_calls(time_point now, const reply_result& result);
    bool reject_too_large_results(const std::string& content);
    void keep_late_result(time_point now, call_result result);
    void report_dropped(const std::vector<std::string>& calls, call_drop_reason why);
    std::string encode_drop(const std::string& call, call_drop_reason why) const;
    void drop_calls(time_point now);
    void cut_calling_reply(time_point now);
    void drop_late_calls(time_point now);
    void queue_results(time_point now, voice_turn::kind what);
    void queue_reply_to_results(time_point now);
    queue::iterator find_next_turn();
    bool has_aside_after_speech() const;

    // Fillers.
    void arm_filler(time_point silent_since);
    std::optional<time_point> filler_due() const;
    void speak_filler(time_point now);
    void on_filler_spoken(time_point now);
    void keep_filler();
    void end_filler(time_point now);
    void speak_as_filler(time_point now, std::string text);
    void keep_last_words(const voice_turn& next);
    void keep_earlier_words();
    void speak_earlier_words(time_point now);
    void hear_earlier_words(const voice::heard& m);
    void hear_earlier_words_before(const client_chunk_id& id);

    // Records.
    void restore(session_record record, const generation_changes& last);
    void restore_turn(const session_record& record, const generation_options& options);
    last_reply restore_reply(recorded_reply record) const;
    void end_cut_reply();
    static recorded_reply make_record(const last_reply& r);
    bool has_words_to_come() const;
    void record_calls(session_record& r) const;

    // Sockets.
    void detach_socket(time_point now);
    void drop_permits();
    void check_turn(waiting_turn& w);
    void check_due_turns();
    void send(std::string text);
    void deliver(std::string text);
    void deliver_end(const voice_turn& turn);
    void deliver_end(const voice_turn& turn, std::string text);
    std::vector<std::string> list_open_turns(const voice::start& first) const;
    void send_error(api_error why);

    voice_setup setup_;
    std::optional<voice_socket> socket_;
    bool was_attached_ = false;
    bool has_conversation_ = false;
    std::string first_options_{};     // of the first start, as JSON
    std::string interrupted_mark_{};  // if the client has chosen one
    due_resume resume_;
    voice_message_ids answered_{};  // of the message that is being processed
    stage stage_ = stage::open;
    bool is_moving_ = false;
    bool is_released_ = false;
    std::optional<time_point> move_due_{};  // from then on, a move may begin during any chunk
    std::uint64_t last_number_ = 0;
    // Up to limits.waiting_turns, plus one to resume and one with results.
    queue waiting_;
    std::optional<last_reply> reply_;
    /// The last chunk of the previous replies, while it is spoken.
    std::optional<client_chunk_id> last_words_;
    /// The chunk that the voice still speaks after the socket was lost, until the next reply
    /// begins.
    std::optional<client_chunk_id> spoken_on_;
    /// The reply of that chunk, during the next one.
    std::optional<last_reply> reply_before_;
    /// The user's last turn, as long as nothing was said in reply.
    std::optional<recorded_question> unanswered_;
    voice_turn_ptr last_turn_;     // the last one that was not an aside
    bool is_filler_used_ = false;  // in this turn
    std::size_t fillers_ = 0;      // number of fillers in the session
    voice_open_calls calls_;       // of the reply of last_turn_
    bool has_cut_words_ = false;   // words of last_turn_ were cut, and the library can resume them
    voice_earlier_words earlier_words_;
    std::uint64_t last_before_results_ = 0;  // the newest turn when the last result arrived
    std::vector<recorded_end> held_texts_;   // of replies and calls, while there is no socket
    std::vector<voice_action::any> actions_;
};

/// The error for any message but `start` on a socket without a session; `ids` is the
/// message's.
std::string encode_no_session_error(voice_message_ids ids);

}  // namespace tandem::gateway

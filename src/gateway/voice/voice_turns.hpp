#pragma once

#include "base/time.hpp"
#include "gateway/json/api_error.hpp"
#include "gateway/voice/voice_actions.hpp"
#include "gateway/voice/voice_answer.hpp"
#include "gateway/voice/voice_limits.hpp"
#include "gateway/voice/voice_message.hpp"

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

/// The adapters that count for one who names these, or none, as adapter_set::set_for() returns it
/// at that time.
using adapters_of_model = std::function<std::variant<std::vector<adapter_scale>, api_error>(
    const std::optional<std::vector<asked_adapter>>&)>;

/// What a session is made with.
struct voice_setup {
    /// As voice_sessions::admit() gave it.
    std::string session{};
    /// The model that it speaks to, and what its client calls it.
    std::string model{};
    std::string asked_model{};
    /// What starts change: the service's defaults.
    generation_options generation{};
    conversation_options conversation{};
    /// What the model has; empty = nothing. And which of them the session wants, if its start says
    /// so.
    adapters_of_model adapters{};
    std::optional<std::vector<asked_adapter>> lora{};
    voice_limits limits{};
    /// config::continue_timeout of the service.
    duration continue_timeout = std::chrono::seconds(30);
};

/// One voice session between its sockets, one after the other, and its conversation: is told what
/// the client says and what becomes of replies, and answers with actions. Pure; not thread-safe.
///
/// One reply runs at a time. What the user says interrupts it, and the next one begins when it has
/// ended. Each reply that was accepted ends with exactly one `end`, or `error` that names it; where
/// no socket is there to hear that, the next one does. Ids of chunks that are not the session's
/// own, or not the last one's, change nothing. A socket that is gone is an interrupt; when another
/// one takes the session up, the reply is resumed.
///
/// How it is driven. For each WebSocket that was admitted by its key:
///   - make a voice_line, hand it each message, and do what it says; run a timer for it;
///   - read the next message only while few answers wait to be written (64, say), which bounds
///     them: everything else that is sent waits for a message of the client;
///   - until the socket has a session, accept only `start` (answer no_session() to others): check
///     that the key may use its model, ask voice_sessions::admit(), drop the session that this
///     names if any, make a voice_turns if the session is new, and call attached();
///   - then pass it each message; and, when the socket is gone for whatever reason, call dropped().
/// After each call, and while there are any, take the actions and perform them in order; performing
/// one may call the session again. Run a timer for next_check(), and one for
/// voice_sessions::next_expiry(), whose sessions are dropped with their conversations.
class voice_turns {
 public:
    explicit voice_turns(voice_setup setup);

    /// A socket begins the session, or takes it up: its start says so, and is answered with
    /// `ready`. One that the session has already is closed.
    void attached(time_point now, voice_socket socket, voice::start first);
    /// From a socket that is not the session's (any more) it changes nothing.
    void told(time_point now, voice_socket socket, voice_message message);
    void dropped(time_point now, voice_socket socket);

    // Answers to actions. What nobody asked for, or asks for any more, changes nothing.
    void permitted(time_point now, std::uint64_t number);
    void refused(time_point now, std::uint64_t number, api_error why);
    void chunk_came(time_point now, std::uint64_t number, const chunk& c);
    void reply_ended(time_point now, std::uint64_t number, const reply_result& result);

    /// The gateway stops: no further turn begins, and the session ends with the reply that runs.
    void drain(time_point now);
    /// That takes too long: it is interrupted.
    void stop(time_point now);

    /// An exception came out of the session: it is over at once. What it wanted done is not: nobody
    /// knows how far that went.
    void broke();

    /// next_check() has come.
    void check(time_point now);
    std::optional<time_point> next_check() const;

    /// What is to be done, in this order; empty afterwards.
    std::vector<voice_action::any> take_actions() { return std::exchange(actions_, {}); }
    bool is_over() const noexcept { return is_over_; }
    bool has_socket() const noexcept { return socket_.has_value(); }
    /// A reply runs, or a turn waits.
    bool is_busy() const noexcept { return is_running() || !waiting_.empty(); }

 private:
    struct waiting_turn {
        voice_turn_ptr turn;
        bool is_permitted = false;
        bool is_cancelled = false;  // what it says is kept, and not answered
    };
    /// The reply that runs or was last.
    struct last_reply {
        voice_turn_ptr turn;
        bool is_ended = false;
        bool is_interrupted = false;
        bool is_asked = true;      // for its next chunk
        bool is_speaking = false;  // its last chunk: no continue came
        bool is_unheard = false;   // it was when the socket was lost
        std::uint64_t id = 0;      // the library's, from the first chunk on
        std::uint32_t chunks = 0;  // sent
        std::size_t bytes = 0;     // of their text
        // Of the last one: its tokens, the characters of its speech, and the furthest that is known
        // to have been heard of it, as a share. All 0 once it was continued.
        int tokens = 0;
        std::size_t characters = 0;
        double heard_share = 0;
        time_point spoken_since{};
        time_point begun_at{};
        std::optional<time_point> first_chunk_at{};
    };

    // What the client says.
    void said(time_point now, voice::start m);
    void said(time_point now, const voice::continued& m);
    void said(time_point now, const voice::heard& m);
    void said(time_point now, const voice::interrupt& m);
    void said(time_point now, const voice::resume& m);
    void said(time_point now, const voice::end& m);
    bool refuse_if(bool is_wrong, const char* field, std::string_view what);
    bool is_of_other_model(const voice::start& m);
    bool is_refused(const voice::start& m);
    bool is_refused(const generation_options& merged);
    bool take_adapters(const generation_changes& changes, generation_options& out);
    std::optional<generation_options> merged(const generation_changes& changes);
    void take_options(const voice::start& first);
    void take_conversation(const conversation_changes& changes);
    bool takes_turns();
    void start_turn(time_point now, voice::start m);
    void wait(time_point now, voice_turn turn);
    void wait_to_resume(time_point now, bool timeline, std::string id);

    // Turns and replies.
    bool is_running() const noexcept { return reply_ && !reply_->is_ended; }
    bool is_closing() const noexcept { return is_ending_ || is_draining_; }
    void interrupt();
    void interrupt_last_words();
    void cancel_waiting();
    void end_waiting(const api_error* why);
    void advance(time_point now);
    void take(time_point now, const waiting_turn& next);
    void say(const voice_turn& turn);
    template <class Action>
    void begin(time_point now, const voice_turn_ptr& turn, Action action);
    std::optional<voice_timing> measure(const reply_result& result);
    void resume_if_due(time_point now);
    void note_heard(const voice::heard& m);
    void ask_for_chunk();
    void finish_if_done();
    void finish(voice_close why);

    // Sockets.
    void lose_socket();
    void send(std::string text);
    void deliver(std::string text);
    void deliver_end(const voice_turn& turn);
    void send_error(api_error why);

    voice_setup setup_;
    std::optional<voice_socket> socket_;
    bool was_attached_ = false;
    bool has_conversation_ = false;
    std::string interrupted_mark_{};  // where the client has chosen one
    bool is_resume_due_ = false;      // when a socket comes
    bool wants_timeline_ = false;     // whose start asked for that of what is resumed then
    std::string resumed_as_{};        // the turn that this start names, if it says nothing else
    std::string answered_{};          // the turn that the message names which is being answered
    bool is_ending_ = false;
    bool is_draining_ = false;
    bool is_over_ = false;
    std::uint64_t last_number_ = 0;
    std::deque<waiting_turn> waiting_;  // at most limits.waiting_turns, and one to resume
    std::optional<last_reply> reply_;
    std::vector<std::string> held_ends_;  // of as many replies, while there is no socket
    std::vector<voice_action::any> actions_;
};

/// What a socket without a session is answered to anything but a start; `turn` is the message's.
std::string no_session(std::string turn);

}  // namespace tandem::gateway

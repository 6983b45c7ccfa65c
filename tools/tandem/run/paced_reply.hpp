#pragma once

#include "flags/speech_pace.hpp"
#include "run/replay_events.hpp"

#include "tandem/conversation.hpp"

// clang-format off
#include <utility>  // Boost 1.74's awaitable.hpp uses it without including it
// clang-format on

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace tandem::command {

using clock = std::chrono::steady_clock;

/// One running reply whose chunks are spoken at a pace, as far as time goes. Held by shared_ptr.
class paced_reply : public std::enable_shared_from_this<paced_reply> {
 public:
    /// `continue_timeout` is the client's. `talk` is the conversation of the reply, if it is part
    /// of one, and must outlive this.
    paced_reply(boost::asio::any_io_executor executor, tandem::reply reply, turn_name where,
                speech_pace pace, duration continue_timeout, conversation* talk = nullptr);

    /// URL of the server that it begins on; a conversation is asked for it.
    void is_on(std::string url) { server_ = std::move(url); }

    /// Interrupts the reply this long after its start.
    void interrupt_after(duration d);
    /// Ends the reply and the speech of its chunk; a conversation is told how much was spoken.
    void interrupt();

    /// Waits for the next chunk; nothing at the reply's end.
    boost::asio::awaitable<std::optional<chunk>> next_chunk();
    /// Of the chunk that came last.
    chunk_event event_of(const chunk& c) const;
    /// Waits until the chunk is spoken, and says continue. Ends early with the reply.
    boost::asio::awaitable<void> speak(const chunk& c);
    /// When it said so last.
    clock::time_point continued() const noexcept { return continued_; }
    /// Once the reply has ended.
    end_event end() const;

 private:
    boost::asio::awaitable<void> wait_for_speech(clock::time_point end);
    boost::asio::awaitable<void> learn_server();
    void count_what_was_heard();
    const reply_result& result() const;

    tandem::reply reply_;
    turn_name where_;
    speech_pace pace_;
    duration continue_timeout_;
    conversation* talk_;
    std::string server_;  // of the last chunk; of the reply's end, once that is told
    std::optional<chunk_id> speaking_;
    int spoken_tokens_ = 0;  // of the chunk that is spoken
    int heard_in_part_ = 0;  // tokens of the chunk that an interrupt ended
    /// Once it has ended, where that is more than the library knows.
    std::optional<reply_result> heard_result_;
    reply_slots slots_;
    boost::asio::steady_timer speech_timer_;
    boost::asio::steady_timer interrupt_timer_;
    bool interrupted_ = false;
    clock::time_point started_ = clock::now();
    clock::time_point asked_ = started_;
    clock::time_point came_ = started_;
    clock::time_point continued_ = started_;
    duration spoken_{};
    duration last_speech_{};
    duration waited_{};
};

/// CLOCK_MONOTONIC in ns.
std::int64_t ns_of(clock::time_point t);

}  // namespace tandem::command

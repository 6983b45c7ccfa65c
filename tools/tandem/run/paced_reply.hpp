#pragma once

#include "flags/speech_pace.hpp"
#include "os/coroutines.hpp"
#include "run/replay_events.hpp"

#include "tandem/conversation.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace tandem::command {

using clock = std::chrono::steady_clock;

/// One running reply whose chunks are spoken by a simulated voice. Owned by shared_ptr.
class paced_reply : public std::enable_shared_from_this<paced_reply> {
 public:
    /// `continue_timeout` is the timeout of the client. `talk` is the conversation of the reply, if
    /// any, and must outlive this object.
    paced_reply(boost::asio::any_io_executor executor, tandem::reply reply, reply_name where,
                speech_pace pace, duration continue_timeout, conversation* talk = nullptr);

    /// Sets the URL of the server until a chunk names its server. Not needed for a reply of a
    /// conversation, which gets the URL from the conversation.
    void set_server_url(std::string url) { server_ = std::move(url); }

    /// Interrupts the reply this long after its start.
    void interrupt_after(duration d);
    /// Ends the reply and the current speech. Reports to the conversation which share of the
    /// current chunk was spoken.
    void interrupt();

    /// Returns the next chunk, or nothing at the end of the reply.
    awaitable<std::optional<chunk>> next_chunk();
    chunk_event make_chunk_event(const chunk& c) const;
    /// Waits for the end of the speech, then continues. Returns early if the reply ends.
    awaitable<void> speak(const chunk& c);
    /// Time of the latest continue.
    clock::time_point last_continue_time() const noexcept { return continued_; }
    /// Valid after the reply has ended.
    end_event make_end_event() const;

 private:
    awaitable<void> wait_for_speech(clock::time_point end);
    awaitable<void> fetch_server_url();
    void count_heard_tokens();
    const reply_result& result() const { return heard_result_ ? *heard_result_ : reply_.result(); }

    tandem::reply reply_;
    reply_name where_;
    speech_pace pace_;
    duration continue_timeout_;
    conversation* talk_;
    std::string server_;  // of the latest chunk or, after the end, of the reply
    std::optional<chunk_id> speaking_;
    int spoken_tokens_ = 0;  // of the current chunk
    int heard_in_part_ = 0;  // tokens heard of the interrupted chunk
    /// The result with corrected token counts, if a chunk was heard in part.
    std::optional<reply_result> heard_result_;
    reply_slot_stats slots_;
    boost::asio::steady_timer speech_timer_;
    boost::asio::steady_timer interrupt_timer_;
    bool interrupted_ = false;
    clock::time_point started_ = clock::now();
    clock::time_point asked_ = started_;
    clock::time_point chunk_arrived_at_ = started_;
    clock::time_point continued_ = started_;
    duration spoken_{};
    duration last_speech_{};
    duration waited_{};
};

/// Converts a time to CLOCK_MONOTONIC nanoseconds.
std::int64_t to_monotonic_ns(clock::time_point t);

}  // namespace tandem::command

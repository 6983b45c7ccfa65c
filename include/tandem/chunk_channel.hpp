#pragma once

#include "tandem/reply.hpp"
#include "tandem/stream_chunk.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem {
inline namespace v0 {

class client;

}  // namespace v0
}  // namespace tandem

namespace tandem::detail {
class channel_core;
}  // namespace tandem::detail

namespace tandem {
inline namespace v0 {

/// Delivers one reply to code that has threads but no event loop. The code pops items, and the
/// channel continues the reply at the pace that its options set. Create one channel for each reply.
/// See docs/channel.md.
///
/// The last item is the terminal one. It always comes: when the reply ends or fails, the channel is
/// cancelled, the client, conversation or service is destroyed, or the io_context is stopped or
/// destroyed. The first of these events determines the reason, which is_finished() and reason()
/// report immediately. Earlier items can still be popped, except after an interrupt or a cancel(),
/// which drop them.
///
/// Thread safety: all functions may be called from any thread; do not call the waiting functions
/// from a thread that runs the reply's executor. Calls never run handlers of the library's event
/// loop.
///
/// Object lifetimes: destroying the channel interrupts its reply; no call on the channel may be
/// running at that time. The channel may outlive the client, the service and the io_context. While
/// its reply is running, the io_context has work, so run() does not return.
class chunk_channel {
 public:
    /// A channel without a reply.
    static std::shared_ptr<chunk_channel> create(channel_options options = {});
    ~chunk_channel();
    chunk_channel(const chunk_channel&) = delete;
    chunk_channel& operator=(const chunk_channel&) = delete;

    /// Makes the channel deliver this reply of a client or conversation. All chunks that the reply
    /// has delivered must have been continued. If another operation is waiting for a chunk of the
    /// reply, the channel ends with operation_in_progress, and the reply is interrupted. Errors:
    /// channel_in_use, channel_finished (also if cancelled), context_stopped (the reply's context
    /// is gone), channel_mismatch (a moved-from reply). On an error, the reply stays with the
    /// caller.
    error_code attach(reply&& r);
    /// Attaches each replies[i] to channels[i], or none on an error. Further errors:
    /// channel_mismatch if the lists differ in length or a channel is null; channel_in_use if a
    /// channel is listed twice. The replies then stay with the caller.
    static error_code attach_all(const std::vector<std::shared_ptr<chunk_channel>>& channels,
                                 std::vector<reply>& replies);
    /// Starts a reply for each prompt (client::start()) and attaches it to the prompt's channel.
    /// Starts no reply if one of the channels cannot be used.
    static error_code start_all(client& llm, std::vector<std::string> prompts,
                                const std::vector<std::shared_ptr<chunk_channel>>& channels);

    /// Returns the next item if there is one. With `pace::voice`, each call reports that the
    /// previous item was spoken. Nothing follows the terminal item.
    std::optional<stream_chunk> try_pop();
    /// Waits for the next item; returns nullopt if none arrives in time.
    std::optional<stream_chunk> wait_pop(std::chrono::milliseconds timeout);
    /// Calls `handler(const stream_chunk&)` on this thread for each item, including the terminal
    /// one. An exception from the handler cancels the channel and is rethrown.
    template <class Handler>
    void consume(Handler&& handler);

    /// Immediately ends the channel with finish_reason::interrupted, interrupts the reply, drops
    /// its items, and wakes all waiting calls. If the channel has already ended, only drops the
    /// remaining items; the reason stays.
    void cancel() noexcept;
    /// Joins chunks into items of at least `n` tokens or 64 KiB of text; if `n` is 1 or less, each
    /// chunk is an item. The reply's last item may be shorter. Takes effect from the next chunk on.
    /// All chunks of an item but the last are continued immediately.
    void set_stream_interval(int n) noexcept;

    /// Whether the reason for the end is known; items may remain.
    bool is_finished() const noexcept;
    /// Whether cancel() ended the channel.
    bool is_cancelled() const noexcept;
    /// Why the channel ended; nullopt before its end.
    std::optional<channel_end> reason() const;
    /// The reply's result; nullopt until the reply has ended. After cancel(), the result may arrive
    /// a little later than the terminal item. No result arrives if there is no reply or the context
    /// is not run.
    std::optional<reply_result> result() const;
    /// Waits for the result; returns nullopt after the timeout, or once no result can arrive.
    std::optional<reply_result> wait_result(std::chrono::milliseconds timeout) const;

 private:
    explicit chunk_channel(const channel_options& options);
    std::optional<stream_chunk> wait_pop();

    std::shared_ptr<detail::channel_core> core_;
};

template <class Handler>
void chunk_channel::consume(Handler&& handler) {
    while (const std::optional<stream_chunk> item = wait_pop()) {
        try {
            handler(*item);
        } catch (...) {
            cancel();
            throw;
        }
        if (item->finished) return;
    }
}

}  // namespace v0
}  // namespace tandem

#pragma once

#include "tandem/reply.hpp"
#include "tandem/stream_chunk.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tandem {

class client;

namespace detail {
class channel_core;
}

/// The consumer's side of one reply for code with threads and no event loop: items are popped, and
/// the reply is continued as the pace of the channel says. A channel is for one reply; create one
/// for each. See docs/channel.md.
///
/// Exactly one terminal item is popped, whatever happens: the reply ends or fails; the channel is
/// cancelled; client, conversation or service is destroyed; the io_context is stopped or destroyed.
/// The first reason counts, and is known at once, whether or not somebody pops. Items that came
/// before it are popped before it, but an interrupt drops them, also a cancel() after the end.
/// Thread-safety: all functions may be called from any thread, but not those that wait from one
/// that runs the reply's executor. Nothing of the library's loop runs within a call.
/// Lifetime: destroying the channel interrupts its reply; no call on it may be running then. It may
/// outlive client, service and io_context. While it has a reply it keeps the io_context busy, so
/// that run() does not return.
class chunk_channel {
 public:
    /// A channel without a reply, which attach() or one of its kind brings.
    static std::shared_ptr<chunk_channel> create(channel_options options = {});
    ~chunk_channel();
    chunk_channel(const chunk_channel&) = delete;
    chunk_channel& operator=(const chunk_channel&) = delete;

    /// Feeds the channel from this reply, of a client or a conversation, which is moved from.
    /// Chunks that it handed over before must have been continued. If somebody waits for a chunk of
    /// it, the channel ends with operation_in_progress, and the reply is interrupted.
    /// Errors: channel_in_use, channel_finished (also if cancelled), context_stopped (the reply's
    /// context is gone), channel_mismatch (the reply was moved from). The reply is left alone then,
    /// and still the caller's: destroying it interrupts it.
    error_code attach(reply&& r);
    /// The same for many, all or none: channels[i] is fed from replies[i], which is moved from.
    /// Errors besides: channel_mismatch if there are not as many of both, or a channel is null;
    /// channel_in_use if one is there twice. All replies are left alone then.
    static error_code attach_all(const std::vector<std::shared_ptr<chunk_channel>>& channels,
                                 std::vector<reply>& replies);
    /// The same with a new reply for each prompt (client::start()); none is started if a channel
    /// is refused.
    static error_code start_all(client& llm, std::vector<std::string> prompts,
                                const std::vector<std::shared_ptr<chunk_channel>>& channels);

    /// The next item if it is there. With `pace::voice` each call says that the item before was
    /// spoken. Nothing more comes once the terminal item was popped, by whomever.
    std::optional<stream_chunk> try_pop();
    /// The same, and waits for it; nothing if none came in time.
    std::optional<stream_chunk> wait_pop(std::chrono::milliseconds timeout);
    /// Calls `handler(const stream_chunk&)` on this thread for each item up to and including the
    /// terminal one. An exception out of it cancels the channel, and is passed on.
    template <class Handler>
    void consume(Handler&& handler);

    /// Ends the channel at once with finish_reason::interrupted, and interrupts the reply: what was
    /// not popped is dropped, and all that wait are woken. After the end it drops the items that
    /// are left, and changes nothing else: the reason stays.
    void cancel() noexcept;
    /// An item joins chunks until it has at least `n` tokens, or 64 KiB of text; 1 (and below):
    /// each chunk is an item. The reply's last item may be shorter. Counts from the next chunk on.
    /// Chunks that are joined are continued at once, but for the last one of an item.
    void set_stream_interval(int n) noexcept;

    /// The end is known; items may still be there to be popped.
    bool is_finished() const noexcept;
    /// cancel() ended it.
    bool is_cancelled() const noexcept;
    /// Why it finished; nothing before.
    std::optional<channel_end> reason() const;
    /// The reply's result, once it has ended. It may come a little after the terminal item where
    /// that was told by cancel(), and never comes without a reply or a context that is run.
    std::optional<reply_result> result() const;
    /// The same, and waits for it as long as it may come.
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

}  // namespace tandem

#pragma once

#include "tandem/chunk.hpp"
#include "tandem/detail/assert_not_moved_from.hpp"
#include "tandem/detail/cancellation.hpp"
#include "tandem/detail/consumer_delivery.hpp"
#include "tandem/detail/initiation.hpp"
#include "tandem/detail/reply_link.hpp"
#include "tandem/detail/wait_cancellation.hpp"
#include "tandem/duration.hpp"
#include "tandem/error.hpp"
#include "tandem/reply_control.hpp"
#include "tandem/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace tandem::detail {
class chunk_pump;
class reply_shell;
struct read_all_operation;
}  // namespace tandem::detail

namespace tandem {
inline namespace v0 {

/// An assistant turn that is being generated. Created by client::start() and by conversations.
///
/// For each chunk, call async_next_chunk() and, once the chunk has been spoken, continue_after(),
/// even for the last chunk. All other calls are optional. A chunk that is not continued is
/// considered unheard, and the reply ends after continue_timeout.
///
/// Object lifetimes: the handle may outlive its client, but the reply ends with the client.
/// Destroying the handle interrupts a running reply. A moved-from handle may only be assigned to or
/// destroyed. When the client's execution context (the io_context) is destroyed, the connection is
/// closed, and a waiting handler is destroyed without being called. The handle may outlive the
/// context; a reply that had not ended by then never ends.
///
/// Executor: as for `client`.
///
/// A `diagnostics` is emptied at the start, and set only on an error.
///
/// Cancellation: per operation, with Boost 1.77 or newer. The operation completes with
/// boost::asio::error::operation_aborted. Types: terminal, partial and total. Cancelling does not
/// end the reply; a chunk whose completion was not posted yet is kept for the next call.
///
/// Thread safety: all functions may be called from any thread. Moving and destroying the handle
/// must not overlap with, or precede, another call on it; use a control() for such calls.
class reply {
 public:
    /// The type of the strand.
    using executor_type = boost::asio::any_io_executor;

    reply(reply&&) noexcept;
    reply& operator=(reply&&) noexcept;
    ~reply();

    /// Completes with the next chunk as soon as it is complete and may be spoken, or with nothing
    /// once the reply has ended. A chunk may be spoken once the previous one has been continued; a
    /// `lookahead` delivers it earlier (`chunk::early`). After the last chunk (`boundary::end`), a
    /// call completes without waiting for that chunk's continue, unless there is a lookahead.
    ///
    /// Handler signature: `void(error_code, std::optional<chunk>)`.
    ///
    /// Errors: `result().error` once the reply has failed, explained in `diag`;
    /// operation_in_progress if another request for a chunk is outstanding.
    template <class CompletionToken>
    auto async_next_chunk(CompletionToken&& token) {
        return wait<CompletionToken>(&reply::next_chunk, &reply::cancel_next_chunk, nullptr, token);
    }
    template <class CompletionToken>
    auto async_next_chunk(diagnostics& diag, CompletionToken&& token) {
        return wait<CompletionToken>(&reply::next_chunk, &reply::cancel_next_chunk, &diag, token);
    }

    /// Completes with the `speech` of the next chunk as soon as that chunk is complete, so that the
    /// TTS can synthesize the next chunk while the previous one is spoken. `pacing::automatic`,
    /// `ahead` and `stream` generate chunks that early. This function does not deliver the chunk:
    /// request it as usual, and do not speak it before it is delivered. The text is empty if the
    /// chunk is delivered first, as in the other pacings, if it has nothing to speak, or if the
    /// reply ends. The operation may wait until an earlier chunk is continued, so never wait for
    /// the operation before you continue a chunk.
    ///
    /// Handler signature: `void(error_code, std::string)`.
    ///
    /// Errors: operation_in_progress if another request for upcoming speech is outstanding.
    template <class CompletionToken>
    auto async_upcoming_speech(CompletionToken&& token) {
        return wait<CompletionToken>(&reply::upcoming_speech, &reply::cancel_upcoming_speech,
                                     nullptr, token);
    }
    template <class CompletionToken>
    auto async_upcoming_speech(diagnostics& diag, CompletionToken&& token) {
        return wait<CompletionToken>(&reply::upcoming_speech, &reply::cancel_upcoming_speech, &diag,
                                     token);
    }

    /// Completes with the functions that the model calls, as soon as they are known, which may be
    /// while the text before them is still being spoken or held back. The list is empty if the
    /// reply turns out to call no function, was interrupted, or has no tools. Answer each call with
    /// conversation::answer_call(), and then generate() the next reply.
    ///
    /// Handler signature: `void(error_code, called_functions)`.
    ///
    /// Errors: `result().error` if the reply has failed; operation_in_progress if another request
    /// for calls is outstanding.
    template <class CompletionToken>
    auto async_tool_calls(CompletionToken&& token) {
        return wait<CompletionToken>(&reply::tool_calls, &reply::cancel_tool_calls, nullptr, token);
    }
    template <class CompletionToken>
    auto async_tool_calls(diagnostics& diag, CompletionToken&& token) {
        return wait<CompletionToken>(&reply::tool_calls, &reply::cancel_tool_calls, &diag, token);
    }

    /// Reports that this chunk and all chunks before it were spoken, so that the next chunk may be
    /// generated and delivered. A stale or repeated id, or the id of another reply, changes
    /// nothing; the log warns of the first such id.
    void continue_after(chunk_id id);

    /// Ends the reply: generation stops, and undelivered text is dropped. After this call has
    /// returned, no handler is called with a chunk, whatever its executor; a chunk that was on its
    /// way is replaced by the end of the reply. Only a handler that another thread is already
    /// calling may still receive its chunk. A reply that has ended keeps its result. Destroying the
    /// handle also interrupts the reply.
    void interrupt();

    /// Reports that the voice needs the time `rest`, counted from now, for the remainder of this
    /// chunk. Replies whose listeners have the least left to hear get slots first. A wrong report
    /// may cause a pause or a late request, but never changes the text. Without reports, the reply
    /// uses the pace learned from the calls of continue_after(). Has no effect unless this chunk is
    /// being spoken. Callable from any thread.
    void speaks_until(chunk_id id, duration rest);

    /// A handle with which other threads and owners can interrupt and continue this reply. The
    /// control may outlive the reply.
    reply_control control() const noexcept;

    /// True once the result is final.
    bool ended() const noexcept;

    /// The outcome. Until the reply has ended, it is empty, and its error is
    /// errc::operation_in_progress. The reference is valid as long as the handle.
    const reply_result& result() const noexcept;

    /// The reply's id, as in chunk_id::reply of its chunks. Unique within the client.
    std::uint64_t id() const noexcept;

    /// The client's strand; see client::get_executor(). Empty once the execution context is gone.
    executor_type get_executor() const noexcept;

 private:
    friend class client;
    friend class conversation;
    friend class detail::chunk_pump;
    friend struct detail::read_all_operation;
    explicit reply(std::shared_ptr<detail::reply_shell> shell) noexcept;

    using shell = std::shared_ptr<detail::reply_shell>;
    template <class Value>
    using begin_function = void (*)(shell s, detail::shared_cancellation by,
                                    detail::any_completion<error_code, diagnostics, Value> handler);
    using cancel_function = void (*)(const std::weak_ptr<detail::reply_shell>& weak,
                                     const detail::shared_cancellation& by);

    // Each wait has its own wait_cancellation, because a late signal to a completed wait must not
    // cancel the next one.
    template <class CompletionToken, class Value>
    auto wait(begin_function<Value> begin, cancel_function cancel, diagnostics* diag,
              std::remove_reference_t<CompletionToken>& token) {
        return detail::initiate<CompletionToken, void(error_code, Value)>(
            detail::assert_not_moved_from(shell_),
            [begin, cancel](shell s, const executor_type& executor, diagnostics* d, auto handler) {
                detail::shared_cancellation by;
                detail::connect_cancellation<detail::side_effects::none>(handler, [&] {
                    by = std::make_shared<detail::wait_cancellation>();
                    return [weak = std::weak_ptr(s), by, cancel] { cancel(weak, by); };
                });
                const auto runs_handler = boost::asio::get_associated_executor(handler, executor);
                detail::consumer_delivery<decltype(handler), Value> deliver{
                    runs_handler, link_of(*s), d, std::move(handler)};
                begin(std::move(s), std::move(by), {std::move(deliver), executor});
            },
            diag, token);
    }

    static void destroy_on_strand(shell s) noexcept;
    static std::shared_ptr<detail::reply_link> link_of(const detail::reply_shell& s) noexcept;
    static void next_chunk(shell s, detail::shared_cancellation by,
                           detail::next_chunk_completion handler);
    static void upcoming_speech(shell s, detail::shared_cancellation by,
                                detail::speech_completion handler);
    static void tool_calls(shell s, detail::shared_cancellation by,
                           detail::calls_completion handler);
    static void cancel_next_chunk(const std::weak_ptr<detail::reply_shell>& weak,
                                  const detail::shared_cancellation& by);
    static void cancel_upcoming_speech(const std::weak_ptr<detail::reply_shell>& weak,
                                       const detail::shared_cancellation& by);
    static void cancel_tool_calls(const std::weak_ptr<detail::reply_shell>& weak,
                                  const detail::shared_cancellation& by);

    shell shell_;
};

}  // namespace v0
}  // namespace tandem

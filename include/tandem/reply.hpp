#pragma once

#include "tandem/chunk.hpp"
#include "tandem/detail/reply_link.hpp"
#include "tandem/detail/used.hpp"
#include "tandem/reply_control.hpp"
#include "tandem/result.hpp"

#include <boost/asio/async_result.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tandem {

namespace detail {
class chunk_pump;
class reply_shell;
}  // namespace detail

/// One assistant turn being generated: chunks come out, and the consumer says when it wants the
/// next. Made by client::start().
///
/// Lifetime: the handle may outlive its client; the reply ends with the client then. Destroying the
/// handle interrupts a reply that has not ended. A handle that was moved from may only be assigned
/// to or destroyed.
/// When the execution context (the io_context) of the client is destroyed, the reply stops where it
/// is: its connection is closed, and a handler that waits is destroyed without being called. The
/// handle may outlive the context; a reply that had not ended by then never does.
/// Thread-safety: all functions may be called from any thread. Moving and destroying the handle
/// must not overlap with another call on it, nor come before one: what may be called later belongs
/// to a control().
class reply {
 public:
    reply(reply&&) noexcept;
    reply& operator=(reply&&) noexcept;
    ~reply();

    /// Completes with the next chunk as soon as it is there and may be spoken; with nothing once
    /// the reply has ended.
    ///
    /// Asking for a chunk after the last one (`boundary::end`) says that its continue is not waited
    /// for.
    /// Handler signature: `void(error_code, std::optional<chunk>)`, posted to the handler's
    /// executor, by default the client's.
    /// Errors: those of `result().error` once the reply has failed; `operation_in_progress` if a
    /// chunk is asked for already; `boost::asio::error::operation_aborted` if this operation was
    /// cancelled (Boost 1.77 or newer, all cancellation types; a chunk whose
    /// completion was not posted yet is kept for the next call).
    template <class CompletionToken>
    auto async_next_chunk(CompletionToken&& token) {
        return boost::asio::async_initiate<CompletionToken, void(error_code, std::optional<chunk>)>(
            [](auto handler, std::shared_ptr<detail::reply_shell> shell) {
                start_next_chunk(std::move(shell), std::move(handler));
            },
            token, detail::used(shell_));
    }

    /// Completes with the `speech` of the chunk that comes next as soon as that is complete, while
    /// the one before it is still spoken: so that its sound can be made meanwhile. `pacing::ahead`
    /// and `stream` generate it that early. It is no hand-over: ask for the chunk as ever, and
    /// speak nothing of it before. Empty if the chunk is handed over first, as it is in the other
    /// pacings, if it holds nothing to speak, or if the reply ends.
    ///
    /// Handler signature: `void(error_code, std::string)`, posted as above. It cannot be cancelled:
    /// do not wait for it and something else at once, as a continue that comes behind it may be
    /// what it waits for.
    /// Errors: `operation_in_progress` if that is asked for already.
    template <class CompletionToken>
    auto async_upcoming_speech(CompletionToken&& token) {
        return boost::asio::async_initiate<CompletionToken, void(error_code, std::string)>(
            [](auto handler, std::shared_ptr<detail::reply_shell> shell) {
                start_upcoming_speech(std::move(shell), std::move(handler));
            },
            token, detail::used(shell_));
    }

    /// The chunk was spoken: the next one may be generated and handed over. A stale or
    /// repeated id changes nothing; nor does one that is of no chunk of this reply: the log warns
    /// of the first of these.
    void continue_after(chunk_id id);

    /// Ends the reply: generation stops, and what was not delivered is dropped. Once this has
    /// returned no handler is called with a chunk, whatever its executor; a chunk that was on its
    /// way is replaced by the end of the reply. Only a handler that another thread is just calling
    /// may still have its chunk. The result of a reply that has ended stays as it is. Destroying
    /// the handle does the same.
    void interrupt();

    /// For other threads and owners: interrupts and continues this reply, and may outlive it.
    reply_control control() const noexcept;

    /// True once the result is final.
    bool ended() const noexcept;

    /// How the reply ended. Before the end it is an empty result with errc::operation_in_progress.
    /// The reference is valid as long as the handle.
    const reply_result& result() const noexcept;

    /// The `reply` of its chunks' ids; unique in the client.
    std::uint64_t id() const noexcept;

 private:
    friend class client;
    friend class conversation;
    friend class detail::chunk_pump;
    explicit reply(std::shared_ptr<detail::reply_shell> shell) noexcept;

    static void let_go(std::shared_ptr<detail::reply_shell> shell) noexcept;
    template <class Handler>
    static void start_next_chunk(std::shared_ptr<detail::reply_shell> shell, Handler handler);
    template <class Handler>
    static void start_upcoming_speech(std::shared_ptr<detail::reply_shell> shell, Handler handler);
    static std::shared_ptr<detail::reply_link> link_of(const detail::reply_shell& shell) noexcept;
    static boost::asio::any_io_executor executor_of(const detail::reply_shell& shell);
    // Tells one wait for a chunk from the next: the slot of a completed one may still be signalled.
    static std::uint64_t name_wait(detail::reply_shell& shell) noexcept;
    static void next_chunk(std::shared_ptr<detail::reply_shell> shell, std::uint64_t wait,
                           detail::next_chunk_completion handler);
    static void upcoming_speech(std::shared_ptr<detail::reply_shell> shell,
                                detail::speech_completion handler);
    static void cancel_next_chunk(const std::weak_ptr<detail::reply_shell>& weak,
                                  std::uint64_t wait);

    std::shared_ptr<detail::reply_shell> shell_;
};

}  // namespace tandem

#include "tandem/detail/reply_initiation.hpp"

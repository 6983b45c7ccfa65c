#pragma once

#include "tandem/detail/initiation.hpp"
#include "tandem/error.hpp"
#include "tandem/reply.hpp"
#include "tandem/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/error.hpp>
#include <boost/version.hpp>

#if BOOST_VERSION >= 107700
#include <boost/asio/cancellation_type.hpp>
#endif

#include <optional>
#include <type_traits>
#include <utility>

namespace tandem::detail {

/// Continues each chunk as soon as it is delivered.
struct read_all_operation {
    reply source;
    diagnostics* diag = nullptr;

    template <class Self>
    void operator()(Self& self) {
        request_chunk(self);
    }
    template <class Self>
    void operator()(Self& self, error_code ec, std::optional<chunk> c) {
        // A cancellation while a chunk is on its way finds no request to cancel, so it is checked
        // here.
        if (c && is_cancelled(self)) return finish(self, boost::asio::error::operation_aborted);
        if (!c) return finish(self, ec);
        source.continue_after(c->id);
        request_chunk(self);
    }

 private:
    template <class Self>
    static bool is_cancelled([[maybe_unused]] const Self& self) {
#if BOOST_VERSION >= 107700
        return self.cancelled() != boost::asio::cancellation_type::none;
#else
        return false;
#endif
    }
    template <class Self>
    void request_chunk(Self& self) {
        source.wait<Self>(&reply::next_chunk, &reply::cancel_next_chunk, diag, self);
    }
    // The reply is destroyed before the handler runs.
    template <class Self>
    void finish(Self& self, error_code ec) {
        self.complete(ec, take_result(ec));
    }
    reply_result take_result(error_code ec) {
        const reply ended = std::move(source);
        if (ended.ended() && ec != boost::asio::error::operation_aborted) return ended.result();
        reply_result result;
        result.error = ec;
        return result;
    }
};

inline boost::asio::any_io_executor executor_of(const read_all_operation& operation) noexcept {
    return operation.source.get_executor();
}

template <class CompletionToken>
auto async_read_all(reply r, diagnostics* diag, std::remove_reference_t<CompletionToken>& token) {
    return initiate<CompletionToken, void(error_code, reply_result)>(
        read_all_operation{std::move(r)},
        [](read_all_operation operation, const auto& executor, diagnostics* d, auto handler) {
            operation.diag = d;
            // A handler with its own executor may outlive the reply's context; the operation then
            // holds only the handler's executor.
            const auto runs_handler = boost::asio::get_associated_executor(handler, executor);
            boost::asio::async_compose<decltype(handler), void(error_code, reply_result)>(
                std::move(operation), handler, runs_handler);
        },
        diag, token);
}

}  // namespace tandem::detail

namespace tandem {
inline namespace v0 {

/// Reads a whole reply whose text is not spoken: continues each chunk as soon as it is delivered.
/// Example: `co_await async_read_all(llm.start(prompt), use_awaitable)`.
///
/// Preconditions: `r` was not moved from, its delivered chunks were continued, and no other
/// operation waits for one of its chunks.
///
/// Object lifetimes: the operation owns the reply. Otherwise as for `reply`.
///
/// Handler signature: `void(error_code, reply_result)`. The error is that of the result, which
/// contains the text received before the error.
///
/// Executor: as for `client`.
///
/// Cancellation: as for `reply`, but only terminal. Cancelling interrupts the reply, and the result
/// has no text.
///
/// Errors: those of the reply; operation_in_progress if another operation is waiting for a chunk;
/// the reply is then interrupted.
///
/// Thread safety: may be called from any thread.
template <class CompletionToken>
auto async_read_all(reply r, CompletionToken&& token) {
    return detail::async_read_all<CompletionToken>(std::move(r), nullptr, token);
}
/// As above; `diag` receives the explanation of an error.
template <class CompletionToken>
auto async_read_all(reply r, diagnostics& diag, CompletionToken&& token) {
    return detail::async_read_all<CompletionToken>(std::move(r), &diag, token);
}

}  // namespace v0
}  // namespace tandem

#pragma once

#include "tandem/detail/pending_call.hpp"
#include "tandem/error.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/version.hpp>

#if BOOST_VERSION >= 107700
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/dispatch.hpp>
#endif

#include <memory>
#include <type_traits>
#include <utility>

namespace tandem::detail {

class conversation_shell;
class reply_shell;
class server_link;
class service_core;

/// The strands of handles; empty once the execution context is gone.
boost::asio::any_io_executor executor_of(const conversation_shell& shell) noexcept;
boost::asio::any_io_executor executor_of(const reply_shell& shell) noexcept;
boost::asio::any_io_executor executor_of(const server_link& link) noexcept;
boost::asio::any_io_executor executor_of(const service_core& core) noexcept;

/// Rejects a call with diagnostics and without a token.
template <class CompletionToken>
constexpr void check_token() {
    static_assert(!std::is_same_v<std::decay_t<CompletionToken>, diagnostics>,
                  "the completion token is missing after the diagnostics");
}

// Per-operation cancellation completes the call; a later answer is ignored. The caller owns the
// signal, which may outlive the execution context. The strand is therefore stored in the call,
// which does not.
template <class Handler, class Call>
void connect_cancellation([[maybe_unused]] const Handler& handler,
                          [[maybe_unused]] const std::shared_ptr<Call>& call) {
#if BOOST_VERSION >= 107700
    auto slot = boost::asio::get_associated_cancellation_slot(handler);
    if (!slot.is_connected()) return;
    slot.assign([weak = std::weak_ptr(call)](boost::asio::cancellation_type) {
        auto waiting = weak.lock();
        if (!waiting) return;
        const auto strand = waiting->strand;
        boost::asio::dispatch(strand, [c = std::move(waiting)] { c->abort(); });
    });
#endif
}

/// Passes the type-erased handler to the compiled part: `ask(shell, call, args...)` runs the call
/// on the strand of `shell`. Without an execution context nothing can complete, and the handler is
/// destroyed.
template <class CompletionToken, class... Results, class Ask, class Shell, class... Args>
auto async_call(Ask ask, diagnostics* diag, std::remove_reference_t<CompletionToken>& token,
                Shell shell, Args... args) {
    check_token<CompletionToken>();
    return boost::asio::async_initiate<CompletionToken, void(error_code, Results...)>(
        [](auto handler, diagnostics* d, Ask a, Shell s, auto... rest) {
            if (d) *d = {};
            // Read here, because a deferred operation may start after the context is gone.
            const auto strand = executor_of(*s);
            if (!strand) return;
            // The call outlives the handler, so it cannot use the handler's allocator.
            auto call = std::make_shared<pending_call<Results...>>();
            call->diag = d;
            call->strand = strand;
            connect_cancellation(handler, call);
            call->handler = {std::move(handler), strand};
            a(std::move(s), std::move(call), std::move(rest)...);
        },
        token, diag, ask, std::move(shell), std::move(args)...);
}

}  // namespace tandem::detail

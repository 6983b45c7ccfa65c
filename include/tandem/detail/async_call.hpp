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
#include <utility>

namespace tandem::detail {

/// A call that knows where it is to be aborted.
template <class... Results>
struct call_on_strand : pending_call<Results...> {
    boost::asio::any_io_executor strand;
};

// Per-operation cancellation completes the call, whoever answers later. Its signal is the caller's,
// and may outlive the execution context: so the strand is kept by the call, which does not.
template <class Handler, class Call>
void let_abort([[maybe_unused]] const Handler& handler,
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

/// Hands the erased handler to the compiled part: `ask(args..., call)` runs it on `strand`. Without
/// its execution context nothing can complete: the handler is destroyed.
template <class... Results, class Ask, class CompletionToken, class Shell, class... Args>
auto async_call(boost::asio::any_io_executor strand, Ask ask, CompletionToken& token,
                diagnostics* diag, Shell shell, Args... args) {
    return boost::asio::async_initiate<CompletionToken, void(error_code, Results...)>(
        [](auto handler, boost::asio::any_io_executor ex, Ask a, diagnostics* d, Shell s,
           auto... rest) {
            if (!ex) return;
            auto call = std::make_shared<call_on_strand<Results...>>();
            call->diag = d;
            call->strand = ex;
            let_abort(handler, call);
            call->handler = {std::move(handler), ex};
            a(std::move(s), std::move(call), std::move(rest)...);
        },
        token, std::move(strand), ask, diag, std::move(shell), std::move(args)...);
}

}  // namespace tandem::detail

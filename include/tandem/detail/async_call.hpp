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

// Per-operation cancellation completes the call, whoever answers later.
template <class Handler, class Call>
void let_abort([[maybe_unused]] const Handler& handler,
               [[maybe_unused]] const boost::asio::any_io_executor& strand,
               [[maybe_unused]] const std::shared_ptr<Call>& call) {
#if BOOST_VERSION >= 107700
    auto slot = boost::asio::get_associated_cancellation_slot(handler);
    if (!slot.is_connected()) return;
    slot.assign([strand, weak = std::weak_ptr(call)](boost::asio::cancellation_type) {
        boost::asio::dispatch(strand, [weak] {
            if (const auto waiting = weak.lock()) waiting->abort();
        });
    });
#endif
}

/// Hands the erased handler to the compiled part: `ask(args..., call)` runs it on `strand`. Without
/// its execution context nothing can be told: the handler is destroyed.
template <class... Results, class Ask, class CompletionToken, class Shell, class... Args>
auto async_call(boost::asio::any_io_executor strand, Ask ask, CompletionToken& token,
                diagnostics* diag, Shell shell, Args... args) {
    return boost::asio::async_initiate<CompletionToken, void(error_code, Results...)>(
        [](auto handler, boost::asio::any_io_executor ex, Ask a, diagnostics* d, Shell s,
           auto... rest) {
            if (!ex) return;
            auto call = std::make_shared<pending_call<Results...>>();
            call->diag = d;
            let_abort(handler, ex, call);
            call->handler = {std::move(handler), ex};
            a(std::move(s), std::move(call), std::move(rest)...);
        },
        token, std::move(strand), ask, diag, std::move(shell), std::move(args)...);
}

}  // namespace tandem::detail

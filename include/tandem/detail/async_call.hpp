#pragma once

#include "tandem/detail/cancellation.hpp"
#include "tandem/detail/initiation.hpp"
#include "tandem/detail/pending_call.hpp"
#include "tandem/error.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/dispatch.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace tandem::detail {

// Cancelling completes the call, and a later answer is ignored. The caller's cancellation signal
// holds this function, and may outlive the execution context. Therefore, the function does not hold
// the strand, but takes it from the call, which does not outlive the context.
template <class Call>
auto make_abort(const std::shared_ptr<Call>& call) {
    return [weak = std::weak_ptr(call)] {
        auto waiting = weak.lock();
        if (!waiting) return;
        const auto strand = waiting->strand;
        boost::asio::dispatch(strand, [c = std::move(waiting)] { c->abort(); });
    };
}

/// Passes the type-erased handler to the compiled part: `ask(shell, call, args...)` runs the call
/// on the strand of `shell`.
template <side_effects effects, class CompletionToken, class... Results, class Ask, class Shell,
          class... Args>
auto async_call(Ask ask, diagnostics* diag, std::remove_reference_t<CompletionToken>& token,
                std::shared_ptr<Shell> shell, Args... args) {
    return initiate<CompletionToken, void(error_code, Results...)>(
        std::move(shell),
        [ask](auto s, const auto& strand, diagnostics* d, auto handler, auto... rest) {
            // The call outlives the handler, so it cannot use the handler's allocator.
            auto call = std::make_shared<pending_call<Results...>>();
            call->diag = d;
            call->strand = strand;
            connect_cancellation<effects>(handler, [&] { return make_abort(call); });
            call->handler = {std::move(handler), strand};
            ask(std::move(s), std::move(call), std::move(rest)...);
        },
        diag, token, std::move(args)...);
}

}  // namespace tandem::detail

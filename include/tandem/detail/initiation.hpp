#pragma once

#include "tandem/error.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>

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

template <class Shell>
boost::asio::any_io_executor executor_of(const std::shared_ptr<Shell>& shell) noexcept {
    return executor_of(*shell);
}

/// Starts an operation of `object`: `start(object, executor, diag, handler, args...)`. Tokens such
/// as cancel_after() take the operation's executor from this object.
template <class Object, class Start>
struct initiation {
    using executor_type = boost::asio::any_io_executor;

    Object object;
    Start start;

    // Asks the object each time, because a deferred operation may start after the execution context
    // is gone.
    executor_type get_executor() const noexcept { return executor_of(object); }

    /// Once the execution context is gone, destroys the handler, because nothing can call it.
    template <class Handler, class... Args>
    void operator()(Handler&& handler, diagnostics* diag, Args&&... args) && {
        if (diag) *diag = {};
        if (const auto executor = get_executor())
            start(std::move(object), executor, diag, std::forward<Handler>(handler),
                  std::forward<Args>(args)...);
    }
    template <class Handler, class... Args>
    void operator()(Handler&& handler, diagnostics* diag, Args&&... args) const& {
        initiation (*this)(std::forward<Handler>(handler), diag, std::forward<Args>(args)...);
    }
};

/// Initiates an operation that completes with `Signature`.
template <class CompletionToken, class Signature, class Object, class Start, class... Args>
auto initiate(Object object, Start start, diagnostics* diag,
              std::remove_reference_t<CompletionToken>& token, Args... args) {
    static_assert(!std::is_same_v<std::decay_t<CompletionToken>, diagnostics>,
                  "the completion token is missing after the diagnostics");
    return boost::asio::async_initiate<CompletionToken, Signature>(
        initiation<Object, Start>{std::move(object), std::move(start)}, token, diag,
        std::move(args)...);
}

}  // namespace tandem::detail

#pragma once

#include "tandem/error.hpp"

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/system/system_error.hpp>
#include <boost/version.hpp>

#if BOOST_VERSION >= 107700
#include <boost/asio/associated_cancellation_slot.hpp>
#endif

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

namespace tandem {
inline namespace v0 {

/// An error with its explanation. what() is the code's message and, if known, the explanation.
class error_with_diagnostics : public boost::system::system_error {
 public:
    /// An error with code `ec`, explained by `d`.
    error_with_diagnostics(error_code ec, diagnostics d)
        : system_error(ec, d.to_string()), diagnostics_(std::move(d)) {}
    /// The explanation.
    const diagnostics& get_diagnostics() const noexcept { return diagnostics_; }

 private:
    diagnostics diagnostics_;
};

/// A completion token that reports errors as exceptions with their diagnostics.
template <class CompletionToken>
struct with_diagnostics_t {
    /// Receives `void(std::exception_ptr, ...)`.
    CompletionToken token;
};

/// Adapts a token such as `use_awaitable`: instead of an error_code, the operation reports an
/// `error_with_diagnostics`, which `co_await` throws and a future holds. Works with all
/// asynchronous functions of this library, and keeps their executor, cancellation and thread
/// safety.
///
/// Adapters that add values or a time limit go inside, as in
/// `with_diagnostics(cancel_after(5s, use_awaitable))`.
template <class CompletionToken>
with_diagnostics_t<std::decay_t<CompletionToken>> with_diagnostics(CompletionToken&& token) {
    return {std::forward<CompletionToken>(token)};
}

}  // namespace v0
}  // namespace tandem

namespace tandem::detail {

/// Calls `handler` with an exception instead of an error_code. Its associated executor, allocator
/// and cancellation slot are those of `handler`.
template <class Handler>
struct exception_handler {
    Handler handler;
    // Receives the operation's diagnostics if the caller passed no object for them.
    std::unique_ptr<diagnostics> own;
    diagnostics* diag;

    template <class... Results>
    void operator()(error_code ec, Results... results) {
        auto error =
            ec ? std::make_exception_ptr(error_with_diagnostics(ec, *diag)) : std::exception_ptr();
        own.reset();
        std::move(handler)(std::move(error), std::move(results)...);
    }
};

/// Starts an operation whose initiation takes a `diagnostics*` before its other arguments. Inherits
/// from this initiation to have the same executor.
template <class Initiation>
struct initiate_with_exception : Initiation {
    template <class Handler, class... Args>
    void operator()(Handler&& handler, diagnostics* diag, Args&&... args) && {
        auto own = diag ? nullptr : std::make_unique<diagnostics>();
        auto* const place = diag ? diag : own.get();
        Initiation& inner = *this;
        std::move(inner)(exception_handler<std::decay_t<Handler>>{std::forward<Handler>(handler),
                                                                  std::move(own), place},
                         place, std::forward<Args>(args)...);
    }

    // Asio uses this overload, without the operation's arguments, to check whether a token fits a
    // signature.
    template <class Handler>
    void operator()(Handler&& handler) && {
        auto own = std::make_unique<diagnostics>();
        auto* const place = own.get();
        Initiation& inner = *this;
        std::move(inner)(exception_handler<std::decay_t<Handler>>{std::forward<Handler>(handler),
                                                                  std::move(own), place});
    }
};

}  // namespace tandem::detail

namespace boost::asio {

template <class CompletionToken, class... Results>
class async_result<tandem::with_diagnostics_t<CompletionToken>,
                   void(tandem::error_code, Results...)> {
 public:
    template <class Initiation, class Token, class... Args>
    static auto initiate(Initiation&& initiation, Token&& token, Args&&... args) {
        CompletionToken inner(std::forward<Token>(token).token);
        return async_initiate<CompletionToken, void(std::exception_ptr, Results...)>(
            tandem::detail::initiate_with_exception<std::decay_t<Initiation>>{
                std::forward<Initiation>(initiation)},
            inner, std::forward<Args>(args)...);
    }
};

template <class Handler, class Executor>
struct associated_executor<tandem::detail::exception_handler<Handler>, Executor> {
    using type = associated_executor_t<Handler, Executor>;
    static type get(const tandem::detail::exception_handler<Handler>& h,
                    const Executor& fallback = Executor()) noexcept {
        return associated_executor<Handler, Executor>::get(h.handler, fallback);
    }
};

template <class Handler, class Allocator>
struct associated_allocator<tandem::detail::exception_handler<Handler>, Allocator> {
    using type = associated_allocator_t<Handler, Allocator>;
    static type get(const tandem::detail::exception_handler<Handler>& h,
                    const Allocator& fallback = Allocator()) noexcept {
        return associated_allocator<Handler, Allocator>::get(h.handler, fallback);
    }
};

#if BOOST_VERSION >= 107700
template <class Handler, class Slot>
struct associated_cancellation_slot<tandem::detail::exception_handler<Handler>, Slot> {
    using type = associated_cancellation_slot_t<Handler, Slot>;
    static type get(const tandem::detail::exception_handler<Handler>& h,
                    const Slot& fallback = Slot()) noexcept {
        return associated_cancellation_slot<Handler, Slot>::get(h.handler, fallback);
    }
};
#endif

}  // namespace boost::asio

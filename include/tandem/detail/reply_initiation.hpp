#pragma once

#include "tandem/reply.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/version.hpp>

#if BOOST_VERSION >= 107700
#include <boost/asio/associated_cancellation_slot.hpp>
#endif

namespace tandem::detail {

/// A handler of a reply's consumer, with its associated executor and allocator.
template <class Handler>
struct consumer_delivery {
    using executor_type = boost::asio::associated_executor_t<Handler, boost::asio::any_io_executor>;
    using allocator_type = boost::asio::associated_allocator_t<Handler>;

    executor_type executor;
    std::shared_ptr<reply_link> link;
    diagnostics* diag;
    Handler handler;

    executor_type get_executor() const noexcept { return executor; }
    allocator_type get_allocator() const noexcept {
        return boost::asio::get_associated_allocator(handler);
    }
};

/// Calls the handler with a chunk, or with the end of the reply if that was interrupted since the
/// completion was posted: the handler's executor may have been busy meanwhile.
template <class Handler>
struct chunk_delivery : consumer_delivery<Handler> {
    void operator()(error_code ec, diagnostics why, std::optional<chunk> c) {
        if (c && this->link->is_interrupted()) {
            const auto ending = this->link;
            return ending->complete_with_end(next_chunk_completion(std::move(*this), {}));
        }
        if (ec && this->diag) *this->diag = std::move(why);
        std::move(this->handler)(ec, std::move(c));
    }
};

/// The same with the speech of a chunk, or the calls of a reply.
template <class Handler, class Value>
struct value_delivery : consumer_delivery<Handler> {
    void operator()(error_code ec, diagnostics why, Value value) {
        if (this->link->is_interrupted()) value = {};
        if (ec && this->diag) *this->diag = std::move(why);
        std::move(this->handler)(ec, std::move(value));
    }
};

}  // namespace tandem::detail

namespace tandem {
inline namespace v0 {

// Each wait has its own wait_cancellation, because the slot of a completed wait may still be
// signalled.
template <class Handler>
detail::shared_cancellation reply::connect_cancellation(
    [[maybe_unused]] const Handler& handler,
    [[maybe_unused]] const std::shared_ptr<detail::reply_shell>& shell,
    [[maybe_unused]] cancel_function cancel) {
#if BOOST_VERSION >= 107700
    auto slot = boost::asio::get_associated_cancellation_slot(handler);
    if (!slot.is_connected()) return nullptr;
    auto by = std::make_shared<detail::wait_cancellation>();
    slot.assign([weak = std::weak_ptr(shell), by, cancel](boost::asio::cancellation_type) {
        cancel(weak, by);
    });
    return by;
#else
    return nullptr;
#endif
}

template <class Handler>
void reply::start_next_chunk(std::shared_ptr<detail::reply_shell> shell, diagnostics* diag,
                             Handler handler) {
    if (diag) *diag = {};
    const auto executor = detail::executor_of(*shell);
    // Without its execution context the reply cannot complete anything.
    if (!executor) return;
    auto by = connect_cancellation(handler, shell, &reply::cancel_next_chunk);
    const auto deliver_on = boost::asio::get_associated_executor(handler, executor);
    detail::next_chunk_completion deliver(
        detail::chunk_delivery<Handler>{{deliver_on, link_of(*shell), diag, std::move(handler)}},
        executor);
    next_chunk(std::move(shell), std::move(by), std::move(deliver));
}

/// Starts a wait for a value of the reply.
template <class Completion, class Value, class Handler, class Cancel, class Begin>
void reply::start_wait(std::shared_ptr<detail::reply_shell> shell, diagnostics* diag,
                       Handler handler, Cancel cancel, Begin begin) {
    if (diag) *diag = {};
    const auto executor = detail::executor_of(*shell);
    // Without its execution context the reply cannot complete anything.
    if (!executor) return;
    auto by = connect_cancellation(handler, shell, cancel);
    const auto deliver_on = boost::asio::get_associated_executor(handler, executor);
    Completion deliver(detail::value_delivery<Handler, Value>{{deliver_on, link_of(*shell), diag,
                                                               std::move(handler)}},
                       executor);
    begin(std::move(shell), std::move(by), std::move(deliver));
}

template <class Handler>
void reply::start_upcoming_speech(std::shared_ptr<detail::reply_shell> shell, diagnostics* diag,
                                  Handler handler) {
    start_wait<detail::speech_completion, std::string>(std::move(shell), diag, std::move(handler),
                                                       &reply::cancel_upcoming_speech,
                                                       &reply::upcoming_speech);
}

template <class Handler>
void reply::start_tool_calls(std::shared_ptr<detail::reply_shell> shell, diagnostics* diag,
                             Handler handler) {
    start_wait<detail::calls_completion, called_functions>(
        std::move(shell), diag, std::move(handler), &reply::cancel_tool_calls, &reply::tool_calls);
}

}  // namespace v0
}  // namespace tandem

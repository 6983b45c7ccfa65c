#pragma once

#include "tandem/reply.hpp"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/version.hpp>

#if BOOST_VERSION >= 107700
#include <boost/asio/associated_cancellation_slot.hpp>
#endif

namespace tandem {

namespace detail {

/// Calls `handler` with a chunk, or with the end of the reply if that was interrupted since the
/// completion was posted: the handler's executor may have been busy meanwhile.
template <class Executor, class Handler>
auto deliver_chunk(const Executor& executor, std::shared_ptr<reply_link> link, Handler handler) {
    auto deliver = [executor, link = std::move(link), handler = std::move(handler)](
                       error_code ec, std::optional<chunk> c) mutable {
        if (!c || !link->is_interrupted()) return std::move(handler)(ec, std::move(c));
        link->complete_with_end(
            next_chunk_completion(boost::asio::bind_executor(executor, std::move(handler)), {}));
    };
    return boost::asio::bind_executor(executor, std::move(deliver));
}

/// The same with the speech of a chunk.
template <class Executor, class Handler>
auto deliver_speech(const Executor& executor, std::shared_ptr<reply_link> link, Handler handler) {
    auto deliver = [link = std::move(link), handler = std::move(handler)](
                       error_code ec, std::string speech) mutable {
        if (link->is_interrupted()) speech.clear();
        std::move(handler)(ec, std::move(speech));
    };
    return boost::asio::bind_executor(executor, std::move(deliver));
}

}  // namespace detail

template <class Handler>
void reply::start_next_chunk(std::shared_ptr<detail::reply_shell> shell, Handler handler) {
    const auto executor = executor_of(*shell);
    // Without its execution context the reply cannot complete anything.
    if (!executor) return;
    const auto wait = name_wait(*shell);
#if BOOST_VERSION >= 107700
    if (auto slot = boost::asio::get_associated_cancellation_slot(handler); slot.is_connected())
        slot.assign([weak = std::weak_ptr(shell), wait](boost::asio::cancellation_type) {
            cancel_next_chunk(weak, wait);
        });
#endif
    const auto deliver_on = boost::asio::get_associated_executor(handler, executor);
    detail::next_chunk_completion deliver(
        detail::deliver_chunk(deliver_on, link_of(*shell), std::move(handler)), executor);
    next_chunk(std::move(shell), wait, std::move(deliver));
}

template <class Handler>
void reply::start_upcoming_speech(std::shared_ptr<detail::reply_shell> shell, Handler handler) {
    const auto executor = executor_of(*shell);
    // Without its execution context the reply cannot complete anything.
    if (!executor) return;
    const auto deliver_on = boost::asio::get_associated_executor(handler, executor);
    detail::speech_completion deliver(
        detail::deliver_speech(deliver_on, link_of(*shell), std::move(handler)), executor);
    upcoming_speech(std::move(shell), std::move(deliver));
}

}  // namespace tandem

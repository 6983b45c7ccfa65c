#pragma once

#include "tandem/reply.hpp"

#include <boost/version.hpp>

#if BOOST_VERSION >= 107700
#include <boost/asio/associated_cancellation_slot.hpp>
#endif

namespace tandem {

template <class Handler>
void reply::start_next_chunk(std::shared_ptr<detail::reply_shell> shell, Handler handler) {
    const auto executor = executor_of(*shell);
    // Without its execution context the reply can tell nothing.
    if (!executor) return;
    const auto wait = name_wait(*shell);
#if BOOST_VERSION >= 107700
    if (auto slot = boost::asio::get_associated_cancellation_slot(handler); slot.is_connected())
        slot.assign([weak = std::weak_ptr(shell), wait](boost::asio::cancellation_type) {
            cancel_next_chunk(weak, wait);
        });
#endif
    next_chunk(std::move(shell), wait, detail::next_chunk_completion(std::move(handler), executor));
}

}  // namespace tandem

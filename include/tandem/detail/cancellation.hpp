#pragma once

#include <boost/version.hpp>

#if BOOST_VERSION >= 107700
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_type.hpp>
#endif

#include <utility>

namespace tandem::detail {

/// If the handler can be cancelled, makes a function that is called for each cancellation.
template <class Handler, class MakeCancel>
void connect_cancellation([[maybe_unused]] const Handler& handler,
                          [[maybe_unused]] MakeCancel make_cancel) {
#if BOOST_VERSION >= 107700
    auto slot = boost::asio::get_associated_cancellation_slot(handler);
    if (!slot.is_connected()) return;
    slot.assign([cancel = make_cancel()](boost::asio::cancellation_type) { cancel(); });
#endif
}

}  // namespace tandem::detail

#pragma once

#include <boost/version.hpp>

#if BOOST_VERSION >= 107700
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_type.hpp>
#endif

#include <utility>

namespace tandem::detail {

/// Whether a cancelled operation may have changed anything.
enum class side_effects { none, possible };

/// If the handler can be cancelled, makes a function that is called for each cancellation of a
/// supported type. Total cancellation promises that nothing has changed, so operations with side
/// effects do not support it.
template <side_effects effects, class Handler, class MakeCancel>
void connect_cancellation([[maybe_unused]] const Handler& handler,
                          [[maybe_unused]] MakeCancel make_cancel) {
#if BOOST_VERSION >= 107700
    using type = boost::asio::cancellation_type;
    auto slot = boost::asio::get_associated_cancellation_slot(handler);
    if (!slot.is_connected()) return;
    slot.assign([cancel = make_cancel()](type requested) {
        const auto supported =
            effects == side_effects::none ? type::all : type::terminal | type::partial;
        if ((requested & supported) != type::none) cancel();
    });
#endif
}

}  // namespace tandem::detail

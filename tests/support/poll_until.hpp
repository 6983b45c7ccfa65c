#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>

namespace tandem::testing {

/// Polls `condition` every 5 ms. Use it for changes without notification, such as those of other
/// processes and files. Returns false if the condition does not hold within `limit`.
inline bool poll_until(const std::function<bool()>& condition,
                       std::chrono::milliseconds limit = std::chrono::seconds(120)) {
    boost::asio::io_context ioc;
    boost::asio::steady_timer timer(ioc);
    const auto give_up = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > give_up) return false;
        timer.expires_after(std::chrono::milliseconds(5));
        timer.wait();
    }
    return true;
}

}  // namespace tandem::testing

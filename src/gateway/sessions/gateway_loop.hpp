#pragma once

#include "gateway/sessions/policy_desk.hpp"
#include "gateway/sessions/voice_registry.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>

#include <cstddef>
#include <memory>
#include <random>
#include <set>
#include <utility>

namespace tandem::gateway {

class connection;
struct gateway_core;

/// What each loop of a gateway has for itself: its connections, with what they wait for. What a
/// connection begins stays on its loop. On that loop, but for what never changes, and for post().
struct gateway_loop {
    /// `g` has it, and what it points to outlives it.
    gateway_loop(gateway_core& g, std::size_t number, const boost::asio::any_io_executor& executor);
    ~gateway_loop();
    gateway_loop(const gateway_loop&) = delete;
    gateway_loop& operator=(const gateway_loop&) = delete;

    /// Keeps the gateway.
    std::shared_ptr<gateway_loop> handle();

    /// Has `f` called with this loop, in a turn of its own. From any thread.
    template <class Function>
    void post(Function f) {
        boost::asio::post(executor, [self = handle(), f = std::move(f)]() mutable { f(*self); });
    }
    /// Has `f` called with another loop there; at once where that is this one. What one loop tells
    /// another comes in order.
    template <class Function>
    void tell(gateway_loop& other, Function f) {
        if (&other == this) return f(other);
        other.post(std::move(f));
    }

    gateway_core& core;
    /// Its place among the gateway's loops.
    const std::size_t number;
    const boost::asio::any_io_executor executor;
    /// Ids must not be guessed: they name sessions, too.
    std::random_device random{};
    std::set<connection*> connections{};
    /// Asked about prompts that the gateway's own policy lets pass.
    std::unique_ptr<policy_desk> outside_policy;
    voice_registry voices;
};

}  // namespace tandem::gateway

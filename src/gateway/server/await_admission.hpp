#pragma once

#include "gateway/access/authorizer.hpp"
#include "loop/clock.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <utility>

namespace tandem::gateway {

/// Waits until the cluster has decided whether the request is admitted.
inline boost::asio::awaitable<admission> await_admission(const authorizer& gate,
                                                         locally_admitted_request request) {
    const auto& token = boost::asio::use_awaitable;
    co_return co_await boost::asio::async_initiate<decltype(token), void(admission)>(
        [&gate](auto handler, locally_admitted_request asked) {
            const auto waiting = std::make_shared<decltype(handler)>(std::move(handler));
            gate.decide_with_cluster(std::move(asked), detail::now(),
                                     [waiting](admission a) { (*waiting)(std::move(a)); });
        },
        token, std::move(request));
}

}  // namespace tandem::gateway
